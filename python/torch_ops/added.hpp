// What becomes of `input`, which is added to a product: a bias, the old value of C, or nothing.
#pragma once

#include "python/torch_ops/gemm.hpp"

namespace cairn_torch {

struct Added {
  const Tensor* bias = nullptr;    // a vector that the kernel adds, whether it was given as bias or as input
  const Tensor* copied = nullptr;  // to be copied to C before the call; else C holds it, or there is none
  double beta = 0;                 // what C is multiplied by
};

// For a problem with m, n and out.
Added added(const Product& product, const cairn_problem& problem, const Tensor& out);

// Whether a copy to out might change what the product reads: whether their ranges of addresses meet.
bool copy_may_change_operands(const Product& product, const Tensor& out);

}  // namespace cairn_torch
