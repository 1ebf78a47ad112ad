// Epilogue of f64 from accumulators in shared memory, as device/strip.hpp: C = alpha * acc + beta * C.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/scaled_sum.hpp"
#include "device/vec.hpp"

namespace cairn {

// Updates `rows` by `cols` of C by a warp's strip of `height` rows of accumulators, each lane n neighbours at a time: one,
// or two if rows of C are aligned to 16 bytes and `cols` is even. All that is read of C is asked for before the first store;
// with beta == 0 that is nothing, since C may hold anything, NaN too.
template <int n, int height, int width, int stride>
__device__ __forceinline__ void store_strip(double* C, std::int64_t ldc, const double (*strip)[stride], int rows,
                                            int cols, double alpha, double beta, int lane) {
  constexpr int count = height * width / (32 * n);
  static_assert(n == 1 || n == 2);
  double old[count][n] = {};
  const auto load = [](double(&to)[n], const double* from) {
    if constexpr (n == 2) load16(to, from);
    if constexpr (n == 1) to[0] = *from;
  };
  const auto for_all = [&](auto&& f) {
#pragma unroll
    for (int u = 0; u < count; ++u) {
      const int e = (u * 32 + lane) * n, r = e / width, c = e % width;
      if (r < rows && c < cols) f(old[u], C + r * ldc + c, &strip[r][c]);
    }
  };
  if (beta != 0) for_all([&](double(&was)[n], const double* c, const double*) { load(was, c); });
  for_all([&](double(&was)[n], double* c, const double* sums) {
    double x[n];
    load(x, sums);
#pragma unroll
    for (int e = 0; e < n; ++e) x[e] = beta == 0 ? alpha * x[e] : scaled_sum(alpha, x[e], beta, was[e]);
    if constexpr (n == 2) store16(c, x);
    if constexpr (n == 1) *c = x[0];
  });
}

}  // namespace cairn
