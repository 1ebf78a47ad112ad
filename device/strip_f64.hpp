// Epilogue of f64 from accumulators in shared memory, as device/strip.hpp: C = alpha * acc + beta * C.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/epilogue.hpp"
#include "device/scaled_sum.hpp"

namespace cairn {

// Updates `rows` by `cols` of C by a warp's strip of `height` rows of accumulators, each lane n neighbours at a time: one,
// or two if rows of C are aligned to 16 bytes and `cols` is even. All that is read of C is asked for before the first store;
// with beta == 0 that is nothing, since C may hold anything, NaN too.
template <int n, int height, int width, int stride>
__device__ __forceinline__ void store_strip(double* C, std::int64_t ldc, const double (*strip)[stride], int rows,
                                            int cols, double alpha, double beta, int lane) {
  constexpr int count = height * width / (32 * n);
  double old[count][n] = {};
  const auto for_all = [&](auto&& f) {
#pragma unroll
    for (int u = 0; u < count; ++u) {
      const int e = (u * 32 + lane) * n, r = e / width, c = e % width;
      if (r < rows && c < cols) f(old[u], C + r * ldc + c, &strip[r][c]);
    }
  };
  if (beta != 0) for_all([](double(&was)[n], const double* c, const double*) { detail::load_all(was, c); });
  for_all([&](double(&was)[n], double* c, const double* sums) {
    double x[n];
    detail::load_all(x, sums);
#pragma unroll
    for (int e = 0; e < n; ++e) x[e] = beta == 0 ? alpha * x[e] : scaled_sum(alpha, x[e], beta, was[e]);
    detail::store_all(c, x);
  });
}

}  // namespace cairn
