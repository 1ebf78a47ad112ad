#include "src/cpu/epilogue.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace cairn::cpu {

double activated(Activation activation, double x) {
  if (activation == Activation::none) return x;
  if (activation == Activation::relu) return x < 0 ? 0 : x;
  if (x == -std::numeric_limits<double>::infinity()) return 0;
  if (activation == Activation::gelu) return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
  if (activation == Activation::silu) return x / (1 + std::exp(-x));
  // x (1 + tanh u) / 2 = x / (1 + exp(-2 u)), which keeps its digits where tanh u is close to -1.
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

double bias_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t j) {
  const Problem& p = call.problem;
  if (p.bias == Bias::none) return 0;
  const std::int64_t at = batch * p.stride_bias + (p.bias == Bias::rows ? i : j);
  return with_type(p.bias_type, [&]<class T>() { return static_cast<double>(static_cast<const T*>(call.bias)[at]); });
}

}  // namespace cairn::cpu
