// Cooperative groups within a block: ranks, collectives that are for the group's lanes alone, and partitions.
// cooperative_algorithms_test.cu has reductions, scans and copies, cooperative_launch_test.cu has grids.
#include <algorithm>
#include <cooperative_groups.h>
#include <string>
#include <utility>

#include "tests/emu/group_support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

__global__ void block_facts(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  int* mine = out + thread() * 8;
  mine[0] = static_cast<int>(block.thread_rank());
  mine[1] = static_cast<int>(block.size() + 1000 * block.num_threads());
  mine[2] = static_cast<int>(block.thread_index().x + 10 * block.thread_index().y + 100 * block.thread_index().z);
  mine[3] = static_cast<int>(block.group_index().x);
  mine[4] = static_cast<int>(block.dim_threads().x + 10 * block.dim_threads().y + 100 * block.group_dim().z);
  const cg::thread_group any = block;
  mine[5] = static_cast<int>(any.size());
  mine[6] = static_cast<int>(cg::thread_rank(any));
  mine[7] = static_cast<int>(cg::group_size(block));
  cg::sync(any);
}
TEST(Groups, ABlockKnowsItsThreads) {
  const auto got = numbers(8, block_facts);
  for (int t = 0; t < kThreads; ++t) {
    const std::vector<int> want = {t, 96096, t % 8 + 10 * (t / 8 % 4) + 100 * (t / 32), 0, 348, 96, t, 96};
    EXPECT_EQ(std::vector<int>(got.begin() + 8 * t, got.begin() + 8 * t + 8), want) << t;
  }
}

template <unsigned size> __global__ void tile_facts(int* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const cg::thread_group same = cg::tiled_partition(cg::this_thread_block(), size);
  const cg::thread_block_tile<size> plain = tile;
  int* mine = out + thread() * 6;
  mine[0] = static_cast<int>(tile.thread_rank());
  mine[1] = static_cast<int>(tile.size() + 100 * plain.num_threads());
  mine[2] = static_cast<int>(tile.meta_group_rank());
  mine[3] = static_cast<int>(plain.meta_group_size());
  mine[4] = static_cast<int>(same.thread_rank());
  mine[5] = static_cast<int>(same.size());
  same.sync();
}
template <unsigned size> void expect_tile_facts() {
  const auto got = numbers(6, tile_facts<size>);
  const int n = static_cast<int>(size);
  for (int t = 0; t < kThreads; ++t) {
    const std::vector<int> want = {t % n, 101 * n, t / n, kThreads / n, t % n, n};
    EXPECT_EQ(std::vector<int>(got.begin() + 6 * t, got.begin() + 6 * t + 6), want) << size << ": " << t;
  }
}
TEST(Groups, ATileKnowsItsThreads) {
  expect_tile_facts<1>();
  expect_tile_facts<2>();
  expect_tile_facts<4>();
  expect_tile_facts<8>();
  expect_tile_facts<16>();
  expect_tile_facts<32>();
}

__global__ void tile_of_tile(int* out) {
  const auto half = cg::tiled_partition<16>(cg::this_thread_block());
  const auto inner = cg::tiled_partition<4>(half);
  const cg::thread_group erased = cg::tiled_partition(half, 4);
  int* mine = out + thread() * 4;
  mine[0] = static_cast<int>(inner.meta_group_rank());
  mine[1] = static_cast<int>(inner.meta_group_size());
  mine[2] = inner.shfl(thread(), 1);
  mine[3] = static_cast<int>(erased.thread_rank());
}
TEST(Groups, ATileOfATile) {
  const auto got = numbers(4, tile_of_tile);
  for (int t = 0; t < kThreads; ++t) {
    EXPECT_EQ(got[4 * t], t % 16 / 4);
    EXPECT_EQ(got[4 * t + 1], 4);
    EXPECT_EQ(got[4 * t + 2], t / 4 * 4 + 1);
    EXPECT_EQ(got[4 * t + 3], t % 4);
  }
}

struct Wide {
  int a;
  double b;
  int c;
};

// Only every second tile takes part, each with a number of rounds of its own: no other lane is waited for.
template <unsigned size> __global__ void collectives(int* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  if (tile.meta_group_rank() % 2 == 1) return;
  const int t = thread();
  for (unsigned round = 0; round < tile.meta_group_rank(); ++round) tile.sync();
  int* mine = out + t * 12;
  mine[0] = tile.shfl(t, 3);
  mine[1] = tile.shfl_up(t, 2);
  mine[2] = tile.shfl_down(t, 3);
  mine[3] = tile.shfl_xor(t, 2u);
  mine[4] = tile.any(t % 5 == 0);
  mine[5] = tile.all(t % 7 != 3);
  mine[6] = static_cast<int>(tile.ballot(t % 3 == 0));
  mine[7] = static_cast<int>(tile.match_any(t % 3));
  int equal = 5;
  mine[8] = static_cast<int>(tile.match_all(t / 16, equal));
  mine[9] = equal;
  const Wide far = tile.shfl(Wide{t, t + 0.5, 2 * t}, static_cast<int>(size) - 1);
  mine[10] = far.a + far.c;
  mine[11] = static_cast<int>(2 * far.b);
}
template <unsigned size> void expect_collectives() {
  const auto got = numbers(12, collectives<size>);
  const int n = static_cast<int>(size);
  for (int t = 0; t < kThreads; ++t) {
    if (t / n % 2 == 1) continue;
    const int first = t / n * n, rank = t % n, last = first + n - 1;
    int fives = 0, sevens = 0, threes = 0, same = 0, rows = 0;
    for (int i = 0; i < n; ++i) {
      fives += (first + i) % 5 == 0, sevens += (first + i) % 7 == 3, rows += (first + i) / 16 == t / 16;
      threes |= ((first + i) % 3 == 0) << i, same |= ((first + i) % 3 == t % 3) << i;
    }
    const int full = n == 32 ? -1 : (1 << n) - 1;
    const std::vector<int> want = {first + 3 % n,
                                   rank < 2 ? t : t - 2,
                                   rank + 3 >= n ? t : t + 3,
                                   (rank ^ 2) >= n ? t : first + (rank ^ 2),
                                   fives > 0,
                                   sevens == 0,
                                   threes,
                                   same,
                                   rows == n ? full : 0,
                                   rows == n,
                                   3 * last,
                                   2 * last + 1};
    EXPECT_EQ(std::vector<int>(got.begin() + 12 * t, got.begin() + 12 * t + 12), want) << size << ": " << t;
  }
}
TEST(Groups, CollectivesAreForTheTileAlone) {
  expect_collectives<1>();
  expect_collectives<2>();
  expect_collectives<4>();
  expect_collectives<8>();
  expect_collectives<16>();
  expect_collectives<32>();
}

// A tree in shared memory, through the erased group, as in CUDA's samples.
__device__ int sum_of(const cg::thread_group& group, int* cells, int value) {
  const auto rank = static_cast<int>(group.thread_rank());
  for (int step = static_cast<int>(group.size()) / 2; step > 0; step /= 2) {
    cells[rank] = value;
    group.sync();
    if (rank < step) value += cells[rank + step];
    group.sync();
  }
  return value;
}
__global__ void sample(int* out) {
  __shared__ int cells[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  out[thread()] = 0;
  const int in_block = sum_of(cg::tiled_partition(block, 32), cells + thread() / 32 * 32, thread());
  block.sync();
  const auto tile = cg::tiled_partition<8>(block);
  const int in_tile = sum_of(tile, cells + tile.meta_group_rank() * 8, thread());
  out[thread()] = thread() % 32 == 0 ? in_block : thread() % 8 == 0 ? in_tile : 0;
}
TEST(Groups, TheErasedGroupSynchronizesAsWhatItWas) {
  const auto got = numbers(1, sample);
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int i = 0; i < (t % 32 == 0 ? 32 : 8); ++i) sum += t + i;
    EXPECT_EQ(got[t], t % 8 == 0 ? sum : 0) << t;
  }
}

// A counter of each even number, raised once for each coalesced group, whatever its size.
__global__ void aggregate(int* counter, int* places) {
  if (thread() % 3 == 0) return;
  const cg::coalesced_group active = cg::coalesced_threads();
  int before = 0;
  if (active.thread_rank() == 0) before = atomicAdd(counter, static_cast<int>(active.size()));
  places[active.shfl(before, 0) + static_cast<int>(active.thread_rank())] = thread();
}
TEST(Groups, AtomicsAggregatedByCoalescedThreads) {
  const Array<int> counter(1), places(std::vector<int>(kThreads, -1));
  run({1}, dim3(8, 4, 3), 0, aggregate, counter.data(), places.data());
  EXPECT_EQ(counter.host()[0], 64);
  auto got = places.host();
  std::ranges::sort(got);
  std::vector<int> want(32, -1);
  for (int t = 0; t < kThreads; ++t)
    if (t % 3 != 0) want.push_back(t);
  EXPECT_EQ(got, want);
}

__global__ void partitions(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = thread(), lane = t % 32;
  int* mine = out + t * 9;
  const auto two = cg::binary_partition(warp, lane % 5 == 0);
  mine[0] = static_cast<int>(two.thread_rank());
  mine[1] = static_cast<int>(two.size());
  const auto three = cg::labeled_partition(warp, lane % 3);
  mine[2] = static_cast<int>(three.thread_rank());
  mine[3] = three.shfl(t, 4);
  mine[4] = three.shfl_up(t, 3);
  mine[5] = three.shfl_down(t, 2);
  mine[6] = static_cast<int>(three.ballot(lane >= 15));
  const auto pairs = cg::tiled_partition(three, 2);
  mine[7] = static_cast<int>(pairs.size());
  mine[8] = pairs.shfl(t, 0);
  if (lane % 3 == 1) three.sync();
}
TEST(Groups, PartitionsOfAWarp) {
  const auto got = numbers(9, partitions);
  for (int t = 0; t < kThreads; ++t) {
    const int lane = t % 32, base = t - lane;
    std::vector<int> two, three;
    for (int i = 0; i < 32; ++i) {
      if ((i % 5 == 0) == (lane % 5 == 0)) two.push_back(i);
      if (i % 3 == lane % 3) three.push_back(i);
    }
    const int size = static_cast<int>(three.size()), rank = lane / 3;
    int late = 0;
    for (int i = 0; i < size; ++i) late |= (three[i] >= 15) << i;
    const std::vector<int> want = {static_cast<int>(std::ranges::find(two, lane) - two.begin()),
                                   static_cast<int>(two.size()),
                                   rank,
                                   base + three[4],
                                   rank < 3 ? t : base + three[rank - 3],
                                   rank + 2 >= size ? t : base + three[rank + 2],
                                   late,
                                   rank == size - 1 && size % 2 == 1 ? 1 : 2,
                                   base + three[rank / 2 * 2]};
    EXPECT_EQ(std::vector<int>(got.begin() + 9 * t, got.begin() + 9 * t + 9), want) << t;
  }
}

// The report of a launch of one block that must fail.
template <class... P, class... A> std::string report_of(void (*kernel)(P...), const A&... arguments) {
  const Status status = launch({1}, 64, 0, nullptr, kernel, arguments...);
  EXPECT_EQ(status.code(), Code::device_error);
  return status.message();
}

__global__ void stays_away() {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x == 45) cg::sync(cg::this_thread_block());
  tile.sync();
}
TEST(Groups, ALaneThatATileWaitsForIsReported) {
  const std::string report = report_of(stays_away);
  EXPECT_NE(report.find("\n  threads 40-44, 46-47: waiting in tile.sync, tests/emu/cooperative_groups_test.cu:"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find(", mask 0x0000ff00"), std::string::npos) << report;
  EXPECT_NE(report.find("\n  thread 45: waiting at block.sync, "), std::string::npos) << report;
  EXPECT_NE(report.find("returned"), std::string::npos) << "the other tiles need not wait\n" << report;
}

__global__ void odd_tiles(unsigned outer, unsigned inner) {
  const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), outer);
  cg::tiled_partition(tile, inner).sync();
}
TEST(Groups, TilesOfOtherSizesAreReported) {
  run({1}, 64, 0, odd_tiles, 16u, 4u);
  for (const auto& [outer, inner] : {std::pair{12u, 4u}, {64u, 4u}, {0u, 4u}, {8u, 16u}, {8u, 3u}}) {
    const std::string report = report_of(odd_tiles, outer, inner);
    EXPECT_NE(report.find("a tile has 1, 2, 4, 8, 16 or 32 threads, and no more than what it is part of"),
              std::string::npos)
        << report;
  }
}

}  // namespace
}  // namespace cairn::emu_test
