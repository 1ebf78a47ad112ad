// One product of tensors by cairn_gemm: out = activation(alpha * a * b + beta * input + bias).
#pragma once

#include <optional>

#include "python/torch_ops/matrices.hpp"
#include "python/torch_ops/tensors.hpp"

namespace cairn_torch {

struct Product {
  const Tensor& a;
  const Tensor& b;
  const Tensor* input = nullptr;
  const Tensor* bias = nullptr;
  const Tensor* scale_a = nullptr;
  const Tensor* scale_b = nullptr;
  double alpha = 1, beta = 1;  // beta multiplies input, and is of no account without one
  std::int64_t activation = CAIRN_ACTIVATION_NONE, compute = CAIRN_NATIVE;
};

// The tensor that `multiply` can write to, in the type of a unless another is asked for.
Tensor make_result(const Product& product, std::optional<torch::headeronly::ScalarType> type = std::nullopt);

// Writes out and, if there is one, `before`: a contiguous tensor like a contiguous out.
void multiply(const Product& product, Tensor& out, Tensor* before = nullptr);

}  // namespace cairn_torch
