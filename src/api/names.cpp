// The names of the enumerators, and parsing them.
#include <array>
#include <string>
#include <string_view>

#include "cairn/types.hpp"

namespace cairn {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTypes = {"f64"sv, "f32"sv, "f16"sv, "bf16"sv, "e4m3"sv};
constexpr std::array kOps = {"n"sv, "t"sv};
constexpr std::array kOrders = {"row"sv, "column"sv};
constexpr std::array kComputes = {"native"sv, "tf32"sv, "split"sv, "fast"sv};
constexpr std::array kInvariants = {"none"sv, "rows"sv, "columns"sv};
constexpr std::array kBiases = {"none"sv, "rows"sv, "columns"sv};
constexpr std::array kActivations = {"none"sv, "relu"sv, "gelu"sv, "gelu_tanh"sv, "silu"sv};
constexpr std::array kBefores = {"none"sv, "stored"sv};
constexpr std::array kScales = {"none"sv, "tensor"sv, "vector"sv, "vector_blocks"sv, "blocks"sv};
constexpr std::array kCodes = {
    "ok"sv,           "invalid_argument"sv, "unsupported"sv, "out_of_memory"sv, "workspace_too_small"sv,
    "device_error"sv, "internal_error"sv};

template <class E, std::size_t N> std::string_view word(const std::array<std::string_view, N>& words, E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? words[index] : "unknown"sv;
}

template <class E, std::size_t N>
Status find(const char* what, const std::array<std::string_view, N>& words, std::string_view text, E& out) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == text) {
      out = static_cast<E>(i);
      return {};
    }
  }
  std::string message = "'" + std::string(text) + "' is not a valid " + what + "; it must be one of";
  for (const auto& w : words) message += " " + std::string(w);
  return {Code::invalid_argument, std::move(message)};
}

}  // namespace

std::string_view name(Type type) { return word(kTypes, type); }
std::string_view name(Op op) { return word(kOps, op); }
std::string_view name(Order order) { return word(kOrders, order); }
std::string_view name(Compute compute) { return word(kComputes, compute); }
std::string_view name(Invariant invariant) { return word(kInvariants, invariant); }
std::string_view name(Bias bias) { return word(kBiases, bias); }
std::string_view name(Activation activation) { return word(kActivations, activation); }
std::string_view name(Before before) { return word(kBefores, before); }
std::string_view name(Scale scale) { return word(kScales, scale); }
std::string_view name(Code code) { return word(kCodes, code); }

Status parse(std::string_view text, Type& out) { return find("type", kTypes, text, out); }
Status parse(std::string_view text, Op& out) { return find("op", kOps, text == "c" ? "t" : text, out); }
Status parse(std::string_view text, Order& out) { return find("order", kOrders, text, out); }
Status parse(std::string_view text, Compute& out) { return find("compute", kComputes, text, out); }
Status parse(std::string_view text, Invariant& out) { return find("invariant", kInvariants, text, out); }
Status parse(std::string_view text, Bias& out) { return find("bias", kBiases, text, out); }
Status parse(std::string_view text, Activation& out) { return find("activation", kActivations, text, out); }
Status parse(std::string_view text, Before& out) { return find("before", kBefores, text, out); }
Status parse(std::string_view text, Scale& out) { return find("scale", kScales, text, out); }

}  // namespace cairn
