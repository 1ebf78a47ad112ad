// What a warp does as one, with one bug each, and twins without it. Lines that a report
// must name end in "// <- word".
#include <mma.h>

#include <cuda_runtime.h>

#include "device/async_copy.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

namespace wmma = nvcuda::wmma;

// Two stages of 8 rows of 16 bytes for each of two warps. The wait before a tile is used is for the tile after it,
// too late by one.
template <bool bug> __global__ void matrix_not_waited(const float* in, float* out) {
  alignas(16) __shared__ float stage[2][64][4];
  const int t = static_cast<int>(threadIdx.x);
  std::uint32_t words[4] = {}, sum = 0;
  for (int s = 0; s < 2; ++s) {
    async_copy<16>(stage[s][t], in + s * 256 + t * 4);  // <- copied for ldmatrix
    async_commit();
  }
  for (int s = 0; s < 2; ++s) {
    if (bug || s == 0) {
      async_wait<1>();
    } else {
      async_wait<0>();
    }
    __syncthreads();
    load_matrices(words, stage[s][(t + 32) % 64]);  // <- ldmatrix too early
    sum += words[0] + words[3];
    __syncthreads();
  }
  out[t] = static_cast<float>(sum);
}

// A stage that one warp fills again while the other still loads from it.
template <bool bug> __global__ void matrix_refilled(const float* in, float* out) {
  alignas(16) __shared__ float tile[32][4];
  const int t = static_cast<int>(threadIdx.x);
  std::uint32_t words[4] = {}, sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t < 32) {
      async_copy<16>(tile[t], in + round * 128 + t * 4);  // <- refilled under ldmatrix
      async_wait_all();
    }
    __syncthreads();
    load_matrices(words, tile[t % 32]);  // <- ldmatrix still reads
    sum += words[0];
    if (!bug) __syncthreads();
  }
  out[t] = static_cast<float>(sum);
}

// Stores of a warp's own lanes: ldmatrix waits for the lanes, and orders nothing.
template <bool bug> __global__ void matrix_no_syncwarp(const float* in, float* out) {
  alignas(16) __shared__ float tile[32][4];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) tile[i * 8 + t / 4][t % 4] = in[i * 32 + t];  // <- stored for ldmatrix
  if (!bug) __syncwarp();
  std::uint32_t words[4];
  load_matrices(words, tile[t]);  // <- ldmatrix of a store
  out[t] = static_cast<float>(words[1]);
}

template <bool bug> __global__ void matrix_unset(float* out) {
  alignas(16) __shared__ float tile[32][4];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) {
    if (!bug || t != 17 || i != 2) tile[t][i] = 1;
  }
  __syncwarp();
  std::uint32_t words[4];
  load_matrices(words, tile[t]);  // <- ldmatrix of unset
  out[t] = static_cast<float>(words[2]);
}

// The addresses of lanes that x2 does not ask are not looked at; those of the others must be in the array.
template <bool bug> __global__ void matrix_past_the_tile(float* out) {
  alignas(16) __shared__ float tile[16][4];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 16) {
    for (float& x : tile[t]) x = 1;
  }
  __syncwarp();
  std::uint32_t words[2];
  load_transposed(words, tile[0] + 4 * (t + (bug && t == 15 ? 1 : 0)));  // <- ldmatrix past the tile
  out[t] = static_cast<float>(words[1]);
}

// A tile stored by the warp and read by its lanes: other lanes than those that stored it.
template <bool bug> __global__ void tile_no_syncwarp(float* out) {
  alignas(32) __shared__ float tile[16][16];
  const int t = static_cast<int>(threadIdx.x);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 1.0f);
  wmma::store_matrix_sync(&tile[0][0], sums, 16, wmma::mem_row_major);  // <- tile stored
  if (!bug) __syncwarp();
  out[t] = tile[t / 2][t % 2];  // <- tile read at once
}

template <bool bug> __global__ void tile_not_met(const float* in, float* out) {
  alignas(32) __shared__ __half tile[16][16];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) tile[i * 4 + t / 16][t % 16] = __float2half(in[i * 64 + t]);  // <- stored for a tile
  if (!bug) __syncthreads();
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::load_matrix_sync(b, &tile[0][0], 16);  // <- tile loaded
  out[t] = __half2float(b.x[0]);
}

// What is counted: rows 128 bytes apart, the same with one row of 16 bytes for padding, and with the pieces of each
// row exchanged; rows of 32 bytes; one row for all lanes; and fewer than four matrices.
__global__ void matrices(float* out) {
  alignas(128) __shared__ __half rows[32][64], padded[32][72], narrow[32][16];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 64; ++i) rows[t][i] = padded[t][i] = narrow[t][i % 16] = __half(i);
  __syncwarp();
  std::uint32_t four[4], two[2], one[1];
  load_matrices(four, &rows[t][0]);              // <- unpadded
  load_matrices(four, &padded[t][0]);            // <- padded rows
  load_matrices(four, &rows[t][t % 8 * 8]);      // <- swizzled
  load_transposed(four, &narrow[t][0]);          // <- narrow rows
  load_matrices(four, &rows[t % 8][t / 8 * 8]);  // <- one matrix wide
  load_matrices(four, &rows[0][0]);              // <- one row
  load_matrices(two, &padded[t][0]);             // <- two matrices
  load_matrices(one, &padded[t][0]);             // <- one matrix
  out[t] = static_cast<float>(four[0] + two[0] + one[0]);
}

__global__ void products(const float* in, float* out) {
  alignas(32) __shared__ __half a[16][16];
  alignas(32) __shared__ float c[16][16];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 8; ++i) a[i * 2 + t / 16][t % 16] = __half(1);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  const auto* far = reinterpret_cast<const __half*>(in);
  wmma::load_matrix_sync(x, far, 16);                                // <- a from afar
  wmma::load_matrix_sync(y, far, 16);                                // <- b from afar
  wmma::load_matrix_sync(x, &a[0][0], 16);                           // <- a by rows
  wmma::load_matrix_sync(y, &a[0][0], 16);                           // <- b by rows
  wmma::mma_sync(sums, x, y, sums);                                  // <- wmma
  wmma::store_matrix_sync(&c[0][0], sums, 16, wmma::mem_row_major);  // <- c by rows
  __syncwarp();
  std::uint32_t few[2] = {}, fewer[1] = {}, all[4] = {};
  float more[4] = {};
  for (int i = 0; i < 3; ++i) mma<__nv_bfloat16>(more, few, fewer);  // <- mma
  mma<Tf32>(more, all, few);
  out[t] = c[t / 2][0] + more[0];
}

namespace {

template <class... P, class... A> void go(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  if (name == "matrix_not_waited") go(1, 64, matrix_not_waited<bug>, in, out);
  if (name == "matrix_refilled") go(1, 64, matrix_refilled<bug>, in, out);
  if (name == "matrix_no_syncwarp") go(1, 32, matrix_no_syncwarp<bug>, in, out);
  if (name == "matrix_unset") go(1, 32, matrix_unset<bug>, out);
  if (name == "matrix_past_the_tile") go(1, 32, matrix_past_the_tile<bug>, out);
  if (name == "tile_no_syncwarp") go(1, 32, tile_no_syncwarp<bug>, out);
  if (name == "tile_not_met") go(1, 64, tile_not_met<bug>, in, out);
  if (name == "matrices") go(1, 32, matrices, out);
  if (name == "products") go(1, 32, products, in, out);
}

}  // namespace

void run_tensor(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
