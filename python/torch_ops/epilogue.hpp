// Bias and scales: the shape of a tensor says which of cairn.h's kinds it is.
#pragma once

#include <array>
#include <optional>

#include "python/torch_ops/gemm.hpp"

namespace cairn_torch {

// Tensors that a call reads besides A, B and C, alive until it has been issued.
struct Epilogue {
  std::optional<Tensor> bias, scale_a, scale_b;
};

// n elements or 1 x n: one for each column; m x 1: one for each row. Before them may stand the batch.
void set_bias(const Tensor& bias, cairn_problem& problem, cairn_operands& operands, Epilogue& kept);

// Scales are shaped like their operand: one; m x 1 and 1 x n (or vectors), one for each row of a or column of b; or
// with one in place of 128 elements along k, and along rows or columns too.
void set_scales(const Product& product, cairn_problem& problem, cairn_operands& operands, Epilogue& kept);

}  // namespace cairn_torch
