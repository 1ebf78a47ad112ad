// The last step of a product whose sums lie in shared memory: C = alpha * sums + beta * C, 16 bytes at a time where C
// allows it. C is not looked at where beta is 0: it may hold anything, NaN too.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/vec.hpp"

namespace cairn {

// Neighbours of a row of C, as many as 16 bytes have or fewer, of which `left` are in the matrix.
template <class Out, int piece = 16 / sizeof(Out)>
__device__ __forceinline__ void update(Out* c, const float* sums, int left, float alpha, float beta, bool vector) {
  struct alignas(piece * sizeof(Out)) Piece {
    Out at[piece];
  };
  if (vector && left >= piece && sizeof(Out) == 4) {
    float4 out = beta == 0 ? make_float4(0, 0, 0, 0) : load4(reinterpret_cast<const float*>(c));
    const float4 sum = load4(sums);
    const auto next = [&](float product, float old) { return beta == 0 ? product : product + beta * old; };
    out = make_float4(next(alpha * sum.x, out.x), next(alpha * sum.y, out.y), next(alpha * sum.z, out.z),
                      next(alpha * sum.w, out.w));
    store4(reinterpret_cast<float*>(c), out);
  } else if (vector && left >= piece) {
    Piece out;
    if (beta != 0) out = *reinterpret_cast<const Piece*>(c);
#pragma unroll
    for (int q = 0; q < piece; q += 4) {
      float four[4];
      load4(four, sums + q);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float product = alpha * four[e];
        out.at[q + e] = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(out.at[q + e]));
      }
    }
    *reinterpret_cast<Piece*>(c) = out;
  } else {
#pragma unroll 1
    for (int e = 0; e < min(left, piece); ++e) {
      const float product = alpha * sums[e];
      c[e] = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(c[e]));
    }
  }
}

// A warp's strip of `rows` rows of sums, as it lies in shared memory, into C. Lanes go along the rows.
template <class Out, int width, int stride>
__device__ __forceinline__ void store_strip(Out* C, std::int64_t ldc, const float (*strip)[stride], int rows,
                                            int cols, float alpha, float beta, bool vector, int lane) {
  constexpr int piece = 16 / sizeof(Out), across = width / piece, down = 32 / across;
  const int place = lane % across * piece;
#pragma unroll 2
  for (int r = lane / across; r < rows; r += down)
    update(C + r * ldc + place, &strip[r][place], cols - place, alpha, beta, vector);
}

}  // namespace cairn
