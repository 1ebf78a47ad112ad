// Reductions, scans and copies of cooperative groups.
#include <algorithm>
#include <cooperative_groups.h>
#include <numeric>

#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "tests/emu/group_support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

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
TEST(GroupAlgorithms, ReductionsAndScans) {
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
TEST(GroupAlgorithms, CopiesOfAnyAlignment) {
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
TEST(GroupAlgorithms, ACopyArrivesAtTheWait) {
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
