// Products of 16-bit matrices, summed as tensor cores sum them.
#pragma once

#include "faces/cublas/gemm.hpp"

namespace cairn::cublas {

// Programs compare their kernels with cuBLAS, often to less than the last bit of a 16-bit result, which holds on a GPU
// because both add 16 products at a time to a sum in f32. So does this: the bits are those of an emulated kernel that
// walks along k once.
void multiply_in_tensor_order(const Product& product, float alpha, float beta, const void* A, const void* B, void* C);

}  // namespace cairn::cublas
