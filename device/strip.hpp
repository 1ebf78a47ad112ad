// Epilogue from accumulators in shared memory: C = alpha * acc + beta * C, 16 bytes at a time where C allows it. C is
// not read where beta is 0, since it may hold anything, NaN too.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/scaled_sum.hpp"
#include "device/vec.hpp"

namespace cairn {

// Updates one element of C.
template <class Out> __device__ __forceinline__ void update_one(Out* c, float acc, float alpha, float beta) {
  *c = static_cast<Out>(beta == 0 ? alpha * acc : scaled_sum(alpha, acc, beta, static_cast<float>(*c)));
}

// Updates `chunk` neighbours of a row of C, 16 bytes or fewer, of which `left` are in the matrix.
template <class Out, int chunk = 16 / sizeof(Out)>
__device__ __forceinline__ void update(Out* c, const float* acc, int left, float alpha, float beta, bool vector) {
  struct alignas(chunk * sizeof(Out)) Chunk {
    Out at[chunk];
  };
  if (vector && left >= chunk && sizeof(Out) == 4) {
    float4 out = beta == 0 ? make_float4(0, 0, 0, 0) : load4(reinterpret_cast<const float*>(c));
    const float4 sum = load4(acc);
    const auto next = [&](float x, float old) { return beta == 0 ? alpha * x : scaled_sum(alpha, x, beta, old); };
    out = make_float4(next(sum.x, out.x), next(sum.y, out.y), next(sum.z, out.z), next(sum.w, out.w));
    store4(reinterpret_cast<float*>(c), out);
  } else if (vector && left >= chunk) {
    Chunk out;
    if (beta != 0) out = *reinterpret_cast<const Chunk*>(c);
#pragma unroll
    for (int q = 0; q < chunk; q += 4) {
      float four[4];
      load4(four, acc + q);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float x = four[e];
        out.at[q + e] =
            static_cast<Out>(beta == 0 ? alpha * x : scaled_sum(alpha, x, beta, static_cast<float>(out.at[q + e])));
      }
    }
    *reinterpret_cast<Chunk*>(c) = out;
  } else {
#pragma unroll 1
    for (int e = 0; e < min(left, chunk); ++e) update_one(c + e, acc[e], alpha, beta);
  }
}

// Updates two neighbours of a row of C, 4 bytes, of which `left` are in the matrix.
template <class Out>
__device__ __forceinline__ void update_pair(Out* c, const float* acc, int left, float alpha, float beta) {
  static_assert(sizeof(Out) <= 2);
  struct alignas(2 * sizeof(Out)) Pair {
    Out at[2];
  };
  if (left >= 2) {
    Pair out;
    if (beta != 0) out = *reinterpret_cast<const Pair*>(c);
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      out.at[e] = static_cast<Out>(beta == 0 ? alpha * acc[e]
                                             : scaled_sum(alpha, acc[e], beta, static_cast<float>(out.at[e])));
    }
    *reinterpret_cast<Pair*>(c) = out;
  } else if (left == 1) {
    update_one(c, acc[0], alpha, beta);
  }
}

// Updates C by a warp's strip of `rows` rows of accumulators in shared memory. Lanes go along the rows.
template <class Out, int width, int stride>
__device__ __forceinline__ void store_strip(Out* C, std::int64_t ldc, const float (*strip)[stride], int rows,
                                            int cols, float alpha, float beta, bool vector, int lane) {
  constexpr int chunk = 16 / sizeof(Out), row_chunks = width / chunk, pass_rows = 32 / row_chunks;
  const int col = lane % row_chunks * chunk;
#pragma unroll 2
  for (int r = lane / row_chunks; r < rows; r += pass_rows)
    update(C + r * ldc + col, &strip[r][col], cols - col, alpha, beta, vector);
}

}  // namespace cairn
