// Cooperative groups with one bug each, and their twins without it. Lines that a report must name end in
// "// <- word".
#include <cooperative_groups.h>

#include <cooperative_groups/memcpy_async.h>

#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

namespace cg = cooperative_groups;

// Neighbours in a tile.
template <bool bug> __global__ void in_a_tile(const float* in, float* out) {
  __shared__ float cells[32];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const auto t = static_cast<int>(threadIdx.x);
  cells[t] = in[t];  // <- tile store
  if (!bug) tile.sync();
  out[t] = cells[t ^ 3];  // <- tile load
}

// A tile synchronizes its own lanes, and not those of another warp.
template <bool bug> __global__ void across_tiles(const float* in, float* out) {
  __shared__ float cells[64];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_group group = bug ? cg::tiled_partition(block, 32) : cg::thread_group(block);
  const auto t = static_cast<int>(threadIdx.x);
  cells[t] = in[t];  // <- store of a warp
  group.sync();
  out[t] = cells[63 - t];  // <- load of another
}

// What one block leaves for the next.
template <bool bug> __global__ void in_a_grid(float* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto t = static_cast<int>(grid.thread_rank()), all = static_cast<int>(grid.size());
  out[t] = static_cast<float>(t);  // <- block leaves
  if (bug) {
    __threadfence();
    cg::this_thread_block().sync();
  } else {
    grid.sync();
  }
  out[all + t] = out[(t + 64) % all];  // <- block takes
}

// One grid.sync() orders what comes before it, and not what comes after it, in whatever order that is executed.
template <bool bug> __global__ void in_rounds(float* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto t = static_cast<int>(grid.thread_rank()), all = static_cast<int>(grid.size());
  float sum = 0;
  for (int round = 0; round < 4; ++round) {
    out[t] = static_cast<float>(t + round);  // <- next round
    grid.sync();
    sum += out[(t + 64) % all];  // <- this round
    if (!bug) grid.sync();
  }
  out[all + t] = sum;
}

// Shared memory: a grid's barrier is one of the block as well; after it a race is still one.
template <bool bug> __global__ void tile_in_a_grid(const float* in, float* out) {
  __shared__ float cells[64];
  const cg::grid_group grid = cg::this_grid();
  const auto t = static_cast<int>(threadIdx.x);
  cells[t] = in[t];
  grid.sync();
  const float other = cells[63 - t];  // <- cell read
  if (!bug) grid.sync();
  cells[t] = other + 1;  // <- cell written
  grid.sync();
  out[grid.thread_rank()] = cells[63 - t];
}

template <bool bug> __global__ void leaves_the_grid(float* out) {
  if (bug && blockIdx.x == 1) return;
  cg::this_grid().sync();
  out[cg::this_grid().thread_rank()] = 1;
}

template <bool bug> __global__ void copied(const float* in, float* out) {
  alignas(16) __shared__ float cells[64];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, cells, in, sizeof cells);  // <- group copies
  if (!bug) cg::wait(block);
  out[threadIdx.x] = cells[63 - threadIdx.x];  // <- group reads
  if (bug) cg::wait(block);
}

// The launch after a cooperative one comes after all of it.
__global__ void follows(float* out) { out[blockIdx.x * 64 + threadIdx.x] = out[512 + blockIdx.x * 64 + threadIdx.x]; }

namespace {

template <class... P, class... A> void go(bool together, unsigned grid, void (*kernel)(P...), A... arguments) {
  cudaLaunchAttribute how{};
  how.id = cudaLaunchAttributeCooperative;
  how.val.cooperative = together ? 1 : 0;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = 64, config.attrs = &how, config.numAttrs = 1;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  if (name == "in_a_tile") {
    cudaLaunchConfig_t config{};
    config.gridDim = 1, config.blockDim = 32;
    (void)cudaLaunchKernelEx(&config, in_a_tile<bug>, in, out);
  }
  if (name == "across_tiles") go(false, 1, across_tiles<bug>, in, out);
  if (name == "in_a_grid") go(true, 8, in_a_grid<bug>, out);
  if (name == "in_rounds") go(true, 8, in_rounds<bug>, out);
  if (name == "tile_in_a_grid") go(true, 3, tile_in_a_grid<bug>, in, out);
  if (name == "leaves_the_grid") go(true, 3, leaves_the_grid<bug>, out);
  if (name == "copied") go(false, 1, copied<bug>, in, out);
  if (name == "follows") {
    go(true, 8, in_rounds<false>, out);
    go(false, 8, follows, out);
  }
}

}  // namespace

void run_groups(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
