// Clusters: cluster barriers, arrivals at mbarriers of other blocks, and multicast loads.
#include "device/cluster.hpp"
#include "device/tma.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

template <class... P, class... A>
void run_cluster(unsigned blocks, Grid grid, dim3 block, void (*kernel)(P...), const A&... arguments) {
  const Status status = launch_cluster(blocks, grid, block, 0, nullptr, kernel, arguments...);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

__global__ void ranks(unsigned size, int* out) {
  const unsigned rank = cluster_rank();
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(blockIdx.x / size * 100 + rank);
}
TEST(Cluster, BlocksKnowTheirRank) {
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    const Array<int> out(16);
    run_cluster(size, {16}, 32, ranks, size, out.data());
    const auto got = out.host();
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(got[i], static_cast<int>(i / size * 100 + i % size)) << size;
  }
}
TEST(Cluster, ABlockWithoutOneIsItsOwn) {
  const Array<int> out(3);
  run({3}, 64, 0, ranks, 1u, out.data());
  EXPECT_EQ(out.host(), (std::vector<int>{0, 100, 200}));
}

// What blocks write to global memory before they meet, the others read after; both halves of the barrier.
__global__ void around(unsigned size, int rounds, int* cells, int* out) {
  const unsigned rank = cluster_rank(), next = blockIdx.x - rank + (rank + 1) % size;
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 7) cells[blockIdx.x] = static_cast<int>(rank) + 10 * round;
    cluster_sync();
    sum = 3 * sum + *const_cast<volatile int*>(&cells[next]);
    cluster_arrive();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
    cluster_wait();
  }
}
TEST(Cluster, AllMeetManyTimes) {
  for (const unsigned size : {2u, 4u}) {
    const Array<int> cells(8), out(8);
    run_cluster(size, {8}, 64, around, size, 5, cells.data(), out.data());
    const auto got = out.host();
    for (unsigned i = 0; i < 8; ++i) {
      int sum = 0;
      for (int round = 0; round < 5; ++round) sum = 3 * sum + static_cast<int>((i + 1) % size) + 10 * round;
      EXPECT_EQ(got[i], sum) << size << " block " << i;
    }
  }
}

constexpr int kWidth = 64, kStages = 2;

// A ring in each block. Of every tile each block loads its part, for all of the cluster; a stage is used again when
// all blocks are done with it.
template <int size> __global__ void share_tiles(const __grid_constant__ TensorMap map, int tiles, float* out) {
  alignas(128) __shared__ float stage[kStages][size][kWidth];
  __shared__ Mbarrier full[kStages], empty[kStages];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, users = blockDim.x / 32 - 1;
  const auto rank = static_cast<int>(cluster_rank());
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(&full[s], 1);
      mbarrier_init(&empty[s], users * size);
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  if (warp == 0 && lane == 0) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int s = tile % kStages;
      mbarrier_wait(&empty[s], (static_cast<unsigned>(tile / kStages) & 1) ^ 1);
      mbarrier_arrive_expect_tx(&full[s], sizeof stage[s]);
      const int at[] = {0, tile * size + rank};
      tma_load_multicast((1u << size) - 1, stage[s][rank], map, at, &full[s]);
    }
  }
  if (warp != 0) {
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      const int s = tile % kStages;
      mbarrier_wait(&full[s], static_cast<unsigned>(tile / kStages) & 1);
      for (int part = 0; part < size; ++part) sum = sum * 0.5F + stage[s][part][(warp - 1) % 2 * 32 + lane];
      __syncwarp();
      if (lane < size) mbarrier_arrive_remote(&empty[s], lane);
    }
    out[blockIdx.x * (blockDim.x - 32) + threadIdx.x - 32] = sum;
  }
  cluster_sync();
}
template <int size> void expect_shared(int tiles) {
  const auto rows = static_cast<std::size_t>(tiles * size);
  std::vector<float> values(rows * kWidth);
  Values random(9);
  for (float& value : values) value = static_cast<float>(random.next() % 64);
  constexpr std::size_t kBlocks = 2 * size, kThreads = 128;
  const Array<float> in(values), out(kBlocks * kThreads);
  TensorMap map;
  const TensorBox box{.base = in.data(),
                      .type = Type::f32,
                      .sizes = {kWidth, rows},
                      .strides = {0, kWidth * sizeof(float)},
                      .box = {kWidth, 1}};
  ASSERT_TRUE(make_tensor_map(map, box).ok());
  run_cluster(size, {static_cast<std::int64_t>(kBlocks)}, kThreads + 32, share_tiles<size>, map, tiles, out.data());
  const auto got = out.host();
  for (std::size_t i = 0; i < got.size(); ++i) {
    float sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum = sum * 0.5F + values[row * kWidth + i % 64];
    ASSERT_EQ(got[i], sum) << size << " blocks, " << tiles << " tiles, at " << i;
  }
}
TEST(Cluster, LoadsGoToAllBlocks) {
  for (const int tiles : {1, 2, 3, 8, 25}) {
    expect_shared<2>(tiles);
    expect_shared<4>(tiles);
  }
}

// To one other block, and not to oneself; threads that have returned are not waited for.
__global__ void to_the_other(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float row[32];
  __shared__ Mbarrier arrived;
  const unsigned rank = cluster_rank();
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(&arrived, sizeof row);
  }
  cluster_sync();
  if (threadIdx.x >= 32) return;
  const int at[] = {0, static_cast<int>(rank)};
  if (threadIdx.x == 0) tma_load_multicast(1u << (rank ^ 1), row, map, at, &arrived);
  mbarrier_wait(&arrived, 0);
  out[blockIdx.x * 32 + threadIdx.x] = row[threadIdx.x];
  cluster_sync();
}
TEST(Cluster, ALoadMayGoToAnotherBlockAlone) {
  std::vector<float> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
  const Array<float> in(values), out(64);
  TensorMap map;
  const TensorBox box{.base = in.data(), .type = Type::f32, .sizes = {32, 2}, .strides = {0, 128}, .box = {32, 1}};
  ASSERT_TRUE(make_tensor_map(map, box).ok());
  run_cluster(2, {2}, 64, to_the_other, map, out.data());
  const auto got = out.host();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], values[(i + 32) % 64]);
}

TEST(Cluster, WhatCannotBeLaunched) {
  const Array<int> out(16);
  for (const unsigned size : {3u, 9u, 16u}) {
    const Status status = launch_cluster(size, {16}, 32, 0, nullptr, ranks, size, out.data());
    EXPECT_EQ(status.code(), Code::device_error) << size;
    (void)cudaGetLastError();
  }
}

}  // namespace
}  // namespace cairn::emu_test
