// On the emulator cp.async completes as late as the program permits, and until then the target is poison. A GPU does
// not promise that, so this is a test of the emulator only.
#include "device/async_copy.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

constexpr unsigned kPoison = 0xffffffffu;

enum class Ends { in_no_wait, waiting_for_older, in_no_group, waiting_for_all };

// One word, its group, a younger group, and then not the wait that it takes.
template <Ends ends> __global__ void too_early(const unsigned* in, unsigned* out) {
  __shared__ unsigned word[2];
  word[0] = word[1] = 1;
  async_copy<4>(&word[0], in);
  if (ends != Ends::in_no_group) async_commit();
  async_copy<4>(&word[1], in + 1);
  if (ends != Ends::in_no_group) async_commit();
  if (ends == Ends::waiting_for_older) async_wait<1>();
  if (ends == Ends::in_no_group) async_wait<0>();
  if (ends == Ends::waiting_for_all) async_wait_all();
  out[0] = word[0];
  out[1] = word[1];
}
template <Ends ends> std::vector<unsigned> seen() {
  const Array<unsigned> in(std::vector<unsigned>{7, 8}), out(2);
  run({1}, 1, 0, too_early<ends>, in.data(), out.data());
  return out.host();
}
TEST(AsyncLate, WithoutAWaitNothingArrives) {
  EXPECT_EQ(seen<Ends::in_no_wait>(), (std::vector<unsigned>{kPoison, kPoison}));
}
TEST(AsyncLate, AWaitThatLeavesOneLeavesTheNewest) {
  EXPECT_EQ(seen<Ends::waiting_for_older>(), (std::vector<unsigned>{7, kPoison}));
}
TEST(AsyncLate, ACopyInNoGroupIsNotWaitedFor) {
  EXPECT_EQ(seen<Ends::in_no_group>(), (std::vector<unsigned>{kPoison, kPoison}));
}
TEST(AsyncLate, WaitAllWaitsForThoseInNoGroupToo) {
  EXPECT_EQ(seen<Ends::waiting_for_all>(), (std::vector<unsigned>{7, 8}));
}

// The source is read when the copy lands.
__global__ void late_read(unsigned* in, unsigned* out) {
  __shared__ unsigned word;
  async_copy<4>(&word, in);
  in[0] = 9;
  async_wait_all();
  out[0] = word;
}
TEST(AsyncLate, TheSourceIsReadWhenItLands) {
  const Array<unsigned> in(std::vector<unsigned>{7}), out(1);
  run({1}, 1, 0, late_read, in.data(), out.data());
  EXPECT_EQ(out.host()[0], 9u);
}

// A wait of one thread is not a wait of another.
__global__ void others_wait(const unsigned* in, unsigned* out) {
  __shared__ unsigned word;
  if (threadIdx.x == 0) async_copy<4>(&word, in);
  __syncthreads();
  if (threadIdx.x == 1) async_wait_all();
  __syncthreads();
  if (threadIdx.x == 1) out[0] = word;
}
TEST(AsyncLate, OnlyTheThreadThatIssuedACopyCanWaitForIt) {
  const Array<unsigned> in(std::vector<unsigned>{7}), out(1);
  run({1}, 2, 0, others_wait, in.data(), out.data());
  EXPECT_EQ(out.host()[0], kPoison);
}

// What a block leaves in flight is gone with it: the next block on the same OS thread starts with nothing.
__global__ void leaves_some(const unsigned* in, unsigned* out) {
  __shared__ unsigned word;
  word = 3;
  async_wait_all();
  out[blockIdx.x] = word;
  async_copy<4>(&word, in);
}
TEST(AsyncLate, WhatABlockLeavesInFlightIsGone) {
  const Array<unsigned> in(std::vector<unsigned>{7}), out(50);
  run({50}, 1, 0, leaves_some, in.data(), out.data());
  EXPECT_EQ(out.host(), std::vector<unsigned>(50, 3));
}

// Where an address or a count is wrong the launch ends with a report that names the line.
enum class Wrong { shared, global, count };
template <Wrong wrong> __global__ void refused(const unsigned* in) {
  alignas(16) __shared__ unsigned tile[8];
  async_copy<16>(tile + (wrong == Wrong::shared), in + (wrong == Wrong::global), wrong == Wrong::count ? 17 : 16);
}
template <Wrong wrong> void expect_refused(const std::string& words) {
  const Array<unsigned> in(8);
  const Status status = launch({1}, 1, 0, nullptr, refused<wrong>, in.data());
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("async_late_test.cu:"), std::string::npos) << status.message();
  (void)cudaGetLastError();
}
TEST(AsyncLate, WhatNoGpuTakesIsReported) {
  expect_refused<Wrong::shared>("16 bytes to a shared address that is no multiple of 16");
  expect_refused<Wrong::global>("16 bytes from a global address that is no multiple of 16");
  expect_refused<Wrong::count>("16 bytes, of which 17 are to be read");
}

}  // namespace
}  // namespace cairn::emu_test
