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

namespace {
double scale_of(const Problem& p, Scale scale, const void* data, std::int64_t first, std::int64_t line,
                std::int64_t block) {
  if (scale == Scale::none) return 1;
  const std::int64_t at = first + scale_index(p, scale, line, block);
  return with_type(accumulator(p.in),
                   [&]<class T>() { return static_cast<double>(static_cast<const T*>(data)[at]); });
}
}  // namespace

std::int64_t scale_index(const Problem& p, Scale scale, std::int64_t line, std::int64_t block) {
  const std::int64_t blocks = (p.k + Problem::kScaleBlock - 1) / Problem::kScaleBlock;
  switch (scale) {
    case Scale::none:
    case Scale::tensor: break;
    case Scale::vector: return line;
    case Scale::vector_blocks: return line * blocks + block;
    case Scale::blocks: return line / Problem::kScaleBlock * blocks + block;
  }
  return 0;
}

bool in_blocks(Scale scale) { return scale == Scale::vector_blocks || scale == Scale::blocks; }

double scale_a_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t block) {
  const Problem& p = call.problem;
  return scale_of(p, p.scale_a, call.scale_a, batch * p.stride_scale_a, i, block);
}

double scale_b_at(const Call& call, std::int64_t batch, std::int64_t j, std::int64_t block) {
  const Problem& p = call.problem;
  return scale_of(p, p.scale_b, call.scale_b, batch * p.stride_scale_b, j, block);
}

double scale_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t j) {
  return in_blocks(call.problem.scale_a) ? 1 : scale_a_at(call, batch, i) * scale_b_at(call, batch, j);
}

}  // namespace cairn::cpu
