// mma of f64 as kernels: the registers of all lanes, A, B and the sums, to the sums.
#pragma once

#include "device/mma_f64.hpp"
#include "tests/device/ops.hpp"

namespace cairn::device_ops {

template <int which> struct FactsF64 {
  static constexpr Kind kind = kKindsF64[which];
  static constexpr int a = distinct(kind, Operand::a), b = distinct(kind, Operand::b), c = distinct(kind, Operand::c);
  static constexpr int in = 32 * (a + b + c), out = 32 * c;  // doubles of a tile
};

// A warp to a tile, and again.
template <int which> __global__ void kernel_f64(int tiles, const double* in, double* out) {
  using F = FactsF64<which>;
  const int lane = static_cast<int>(threadIdx.x) % 32, warps = static_cast<int>(blockDim.x * gridDim.x) / 32;
  for (int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32; tile < tiles; tile += warps) {
    const double* from = in + std::int64_t{tile} * F::in;
    double a[F::a], b[F::b], c[F::c];
    for (int i = 0; i < F::a; ++i) a[i] = from[lane * F::a + i];
    for (int i = 0; i < F::b; ++i) b[i] = from[32 * F::a + lane * F::b + i];
    for (int i = 0; i < F::c; ++i) c[i] = from[32 * (F::a + F::b) + lane * F::c + i];
    mma(c, a, b);
    for (int i = 0; i < F::c; ++i) out[std::int64_t{tile} * F::out + lane * F::c + i] = c[i];
  }
}

using KernelF64 = void (*)(int, const double*, double*);
template <int which = 0> KernelF64 kernel_f64_of(int wanted) {
  if constexpr (which < kCountF64) {
    return wanted == which ? &kernel_f64<which> : kernel_f64_of<which + 1>(wanted);
  } else {
    return nullptr;
  }
}

}  // namespace cairn::device_ops
