#include "python/torch_ops/added.hpp"

#include <cstddef>
#include <string>

namespace cairn_torch {
namespace {

bool is_same(const Tensor& x, const Tensor& y) {
  if (x.const_data_ptr() != y.const_data_ptr() || x.dim() != y.dim()) return false;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    if (x.size(i) != y.size(i) || (x.size(i) > 1 && x.stride(i) != y.stride(i))) return false;
  }
  return true;
}

void require_broadcast(const Tensor& input, const Tensor& out) {
  const auto have = input.sizes(), want = out.sizes();
  bool fits = have.size() <= want.size();
  for (std::size_t i = 1; fits && i <= have.size(); ++i) {
    fits = have[have.size() - i] == 1 || have[have.size() - i] == want[want.size() - i];
  }
  if (!fits) refuse("input is " + shape_text(input) + ", which does not broadcast to " + shape_text(out));
}

// Whether input, added once, can be a bias: then it need not be copied to every row of out first.
bool is_bias(const Product& product, const cairn_problem& problem) {
  if (product.bias != nullptr || product.beta != 1) return false;
  const Tensor& input = *product.input;
  if (input.dim() == 1) return input.size(0) == problem.n;
  return input.dim() == 2 &&
         ((input.size(0) == 1 && input.size(1) == problem.n) || (input.size(0) == problem.m && input.size(1) == 1));
}

struct Range {
  const std::byte *begin, *end;
};
Range range_of(const Tensor& tensor) {
  const auto* begin = static_cast<const std::byte*>(tensor.const_data_ptr());
  if (tensor.numel() == 0) return {begin, begin};
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return {begin, begin + static_cast<std::size_t>(last + 1) * tensor.element_size()};
}

}  // namespace

Added added(const Product& product, const cairn_problem& problem, const Tensor& out) {
  if (product.input == nullptr || product.beta == 0) return {.bias = product.bias};
  require_one_device(*product.input, "input", device_of(product.a));
  if (const cairn_type type = type_of(*product.input, "input"); type != problem.out) {
    refuse(std::string("input is ") + name(type) + " and out is " + name(static_cast<cairn_type>(problem.out)) +
           "; they must have one type");
  }
  require_broadcast(*product.input, out);
  if (is_same(*product.input, out)) return {.bias = product.bias, .beta = product.beta};
  if (is_bias(product, problem)) return {.bias = product.input};
  return {.bias = product.bias, .copied = product.input, .beta = product.beta};
}

bool copy_may_change_operands(const Product& product, const Tensor& out) {
  const Range written = range_of(out);
  for (const Tensor* read : {&product.a, &product.b, product.input, product.bias, product.scale_a, product.scale_b}) {
    if (read == nullptr) continue;
    const Range range = range_of(*read);
    if (range.begin < written.end && written.begin < range.end) return true;
  }
  return false;
}

}  // namespace cairn_torch
