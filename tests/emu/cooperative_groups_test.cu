// Cooperative groups within a block: ranks, collectives that are for the group's lanes alone, partitions, reductions,
// scans and copies. cooperative_launch_test.cu has grids.
#include <algorithm>
#include <cooperative_groups.h>
#include <numeric>

#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "tests/emu/support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

constexpr int kThreads = 96;

// Every thread writes `each` numbers; 96 threads in a block of 8 x 4 x 3.
template <class... P, class... A> std::vector<int> numbers(int each, void (*kernel)(P...), const A&... arguments) {
  const Array<int> out(std::vector<int>(static_cast<std::size_t>(kThreads * each), -7));
  run({1}, dim3(8, 4, 3), 0, kernel, out.data(), arguments...);
  return out.host();
}

__device__ int thread() { return static_cast<int>(threadIdx.x + 8 * threadIdx.y + 32 * threadIdx.z); }

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

template <unsigned size> __global__ void folds(int* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int t = thread(), x = t * 37 % 101;
  const auto some = cg::binary_partition(tile, t % 3 == 1);
  int* mine = out + t * 12;
  mine[0] = cg::reduce(tile, x, cg::plus<int>());
  mine[1] = cg::reduce(tile, x, cg::less<int>());
  mine[2] = cg::reduce(tile, x, cg::greater<int>());
  mine[3] = cg::reduce(tile, x, cg::bit_and<int>());
  mine[4] = cg::reduce(tile, x, cg::bit_or<int>());
  mine[5] = cg::reduce(tile, x, cg::bit_xor<>());
  mine[6] = cg::reduce(some, x, cg::plus<int>());
  mine[7] = cg::reduce(some, x, [](int a, int b) { return a * 2 > b * 2 ? a : b; });
  mine[8] = cg::inclusive_scan(tile, x);
  mine[9] = cg::exclusive_scan(some, x);
  mine[10] = cg::inclusive_scan(some, x, cg::greater<int>());
  mine[11] = static_cast<int>(cg::reduce(tile, x + 0.25, cg::plus<double>()) * 4);
}
template <unsigned size> void expect_folds() {
  const auto got = numbers(12, folds<size>);
  const int n = static_cast<int>(size);
  for (int t = 0; t < kThreads; ++t) {
    std::vector<int> tile, some;
    int in_tile = 0, before = 0, most = 0;
    for (int i = t / n * n; i < t / n * n + n; ++i) {
      const int x = i * 37 % 101;
      tile.push_back(x);
      if (i <= t) in_tile += x;
      if ((i % 3 == 1) != (t % 3 == 1)) continue;
      some.push_back(x);
      if (i < t) before += x;
      if (i <= t) most = std::max(most, x);
    }
    int all_bits = ~0, any_bits = 0, odd_bits = 0;
    for (const int x : tile) all_bits &= x, any_bits |= x, odd_bits ^= x;
    const int sum = std::accumulate(tile.begin(), tile.end(), 0);
    const std::vector<int> want = {sum,
                                   std::ranges::min(tile),
                                   std::ranges::max(tile),
                                   all_bits,
                                   any_bits,
                                   odd_bits,
                                   std::accumulate(some.begin(), some.end(), 0),
                                   std::ranges::max(some),
                                   in_tile,
                                   before,
                                   most,
                                   4 * sum + n};
    EXPECT_EQ(std::vector<int>(got.begin() + 12 * t, got.begin() + 12 * t + 12), want) << size << ": " << t;
  }
}
TEST(Groups, ReductionsAndScans) {
  expect_folds<1>();
  expect_folds<4>();
  expect_folds<16>();
  expect_folds<32>();
}

// From any byte and of any size; two stages in flight.
__global__ void copies(const char* from, int offset, int bytes, char* out) {
  alignas(16) __shared__ char stage[2][512];
  const auto block = cg::this_thread_block();
  for (int s = 0; s < 2; ++s) cg::memcpy_async(block, stage[s] + offset, from + offset + 512 * s, bytes);
  cg::wait_prior<1>(block);
  for (int i = thread(); i < bytes; i += kThreads) out[i] = stage[0][offset + i];
  cg::wait(block);
  for (int i = thread(); i < bytes; i += kThreads) out[512 + i] = stage[1][offset + i];
}
TEST(Groups, CopiesOfAnyAlignment) {
  std::vector<char> values(1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * 31 + i / 256);
  const Array<char> from(values);
  for (const int offset : {0, 4, 5, 16}) {
    for (const int bytes : {1, 17, 64, 301, 480}) {
      const Array<char> out(1024);
      run({1}, dim3(8, 4, 3), 0, copies, from.data(), offset, bytes, out.data());
      const auto got = out.host();
      for (int i = 0; i < 1024; ++i) {
        const bool copied = i % 512 < bytes;
        ASSERT_EQ(got[i], copied ? values[i + offset] : 0) << offset << ", " << bytes << ": " << i;
      }
    }
  }
}

// What is read before the wait is a NaN: the copy has not arrived.
__global__ void too_early(const float* from, float* out) {
  __shared__ float stage[kThreads];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float* mine = stage + tile.meta_group_rank() * 32;
  cg::memcpy_async(tile, mine, 32, from + tile.meta_group_rank() * 32, 64);
  out[thread()] = mine[tile.thread_rank()];
  tile.sync();
  cg::wait(tile);
  out[kThreads + thread()] = mine[tile.thread_rank()];
}
TEST(Groups, ACopyArrivesAtTheWait) {
  const Array<float> from(std::vector<float>(kThreads + 64, 2.5F)), out(2 * kThreads);
  run({1}, dim3(8, 4, 3), 0, too_early, from.data(), out.data());
  const auto got = out.host();
  int numbers = 0;
  for (int t = 0; t < kThreads; ++t) {
    numbers += got[t] == got[t] ? 1 : 0;
    EXPECT_EQ(got[kThreads + t], 2.5F);
  }
  EXPECT_EQ(numbers, 0);
}

}  // namespace
}  // namespace cairn::emu_test
