// cp.async: copies are complete when their group has been waited for, and not before.
#include "device/async_copy.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

constexpr int kThreads = 96;

// Each thread copies one piece and, after a barrier, takes another thread's.
template <int bytes, Through through> __global__ void pieces(const unsigned char* in, unsigned char* out) {
  alignas(16) __shared__ unsigned char tile[kThreads * bytes];
  const int me = static_cast<int>(threadIdx.x), other = kThreads - 1 - me;
  async_copy<bytes, through>(tile + me * bytes, in + me * bytes);
  async_commit();
  async_wait<0>();
  __syncthreads();
  for (int i = 0; i < bytes; ++i) out[me * bytes + i] = tile[other * bytes + i];
}
template <int bytes, Through through> void expect_pieces() {
  std::vector<unsigned char> values(kThreads * bytes);
  Values random(bytes);
  for (unsigned char& value : values) value = static_cast<unsigned char>(random.next());
  const Array<unsigned char> in(values), out(values.size());
  run({1}, kThreads, 0, pieces<bytes, through>, in.data(), out.data());
  const auto got = out.host();
  for (int me = 0; me < kThreads; ++me)
    for (int i = 0; i < bytes; ++i)
      EXPECT_EQ(got[me * bytes + i], values[(kThreads - 1 - me) * bytes + i]) << bytes << " bytes, thread " << me;
}
TEST(AsyncCopy, ArrivesInEverySize) {
  expect_pieces<4, Through::l1>();
  expect_pieces<8, Through::l1>();
  expect_pieces<16, Through::l1>();
  expect_pieces<16, Through::l2>();
}

// Thread i asks for i % 17 bytes of 16; the source of those that ask for none is null.
__global__ void partly(const unsigned char* in, unsigned char* out) {
  alignas(16) __shared__ unsigned char tile[kThreads][16];
  const int me = static_cast<int>(threadIdx.x), valid = me % 17;
  for (int i = 0; i < 16; ++i) tile[me][i] = 0x77;
  async_copy<16>(tile[me], valid > 0 ? in + me * 16 : nullptr, valid);
  async_wait_all();
  for (int i = 0; i < 16; ++i) out[me * 16 + i] = tile[me][i];
}
TEST(AsyncCopy, FillsUpWithZeros) {
  const Array<unsigned char> in(std::vector<unsigned char>(kThreads * 16, 0x5a)), out(kThreads * 16);
  run({1}, kThreads, 0, partly, in.data(), out.data());
  const auto got = out.host();
  for (int i = 0; i < kThreads * 16; ++i) EXPECT_EQ(got[i], i % 16 < i / 16 % 17 ? 0x5a : 0) << i;
}

// Three groups of one word each; after each wait the thread notes what it sees of its own. What it may not look at
// yet it does not look at.
__global__ void in_order(const int* in, int* out) {
  __shared__ int stage[3][kThreads];
  const int me = static_cast<int>(threadIdx.x);
  for (int s = 0; s < 3; ++s) {
    async_copy<4>(&stage[s][me], in + s * kThreads + me);
    async_commit();
  }
  async_wait<2>();
  out[me] = stage[0][me];
  async_wait<1>();
  out[kThreads + me] = stage[1][me];
  async_wait<0>();
  out[2 * kThreads + me] = stage[2][me];
}
TEST(AsyncCopy, GroupsArriveInOrder) {
  std::vector<int> values(3 * kThreads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(100 + i);
  const Array<int> in(values), out(values.size());
  run({2}, kThreads, 0, in_order, in.data(), out.data());
  EXPECT_EQ(out.host(), values);
}

// A ring of three stages that is refilled as it is used, with empty groups at its end so that the count stays the
// same: the loop that rungs are made of.
__global__ void ring(const int* in, int rounds, int* out) {
  __shared__ int stage[3][kThreads];
  const int me = static_cast<int>(threadIdx.x), other = kThreads - 1 - me;
  for (int s = 0; s < 2; ++s) {
    if (s < rounds) async_copy<4>(&stage[s][me], in + s * kThreads + me);
    async_commit();
  }
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    async_wait<1>();
    __syncthreads();
    if (round + 2 < rounds) async_copy<4>(&stage[(round + 2) % 3][me], in + (round + 2) * kThreads + me);
    async_commit();
    sum = 3 * sum + stage[round % 3][other];
  }
  out[me] = sum;
}
TEST(AsyncCopy, AStageCanBeRefilledWhileOthersAreUsed) {
  for (const int rounds : {0, 1, 2, 3, 4, 7}) {
    std::vector<int> values(static_cast<std::size_t>(rounds + 1) * kThreads);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i % 101);
    const Array<int> in(values), out(kThreads);
    run({2}, kThreads, 0, ring, in.data(), rounds, out.data());
    const auto got = out.host();
    for (int me = 0; me < kThreads; ++me) {
      int sum = 0;
      for (int round = 0; round < rounds; ++round)
        sum = 3 * sum + values[static_cast<std::size_t>(round * kThreads + kThreads - 1 - me)];
      EXPECT_EQ(got[me], sum) << rounds << " rounds, thread " << me;
    }
  }
}

}  // namespace
}  // namespace cairn::emu_test
