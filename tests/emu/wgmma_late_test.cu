// wgmma is asynchronous: what a thread sees before it waits, what wgmma reads if its operands change while it is in
// flight, and invalid calls. Also setmaxnreg.
#include <cmath>
#include <string>

#include "device/setmaxnreg.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

constexpr int kOperand = 64 * 128;  // bytes: 64 rows of 128

// A's and B's 64 rows of 64 elements, all of them `a` and `b`: a product of 16 steps of k is 16 a b.
__device__ void fill(unsigned char* memory, float a, float b) {
  auto* x = reinterpret_cast<__half*>(memory);
  for (int i = static_cast<int>(threadIdx.x); i < kOperand; i += static_cast<int>(blockDim.x))
    x[i] = __float2half(i < kOperand / 2 ? a : b);
  fence_proxy_async();
  __syncthreads();
}
__device__ MatrixDescriptor operand_at(unsigned char* memory) {
  return matrix_descriptor(memory, Swizzle::b128, 1024);
}

// out[0]: a sum right after it was issued; 1 and 2: of the first and of the second group once all but one group are
// there; 3: of the second at the end. 4, 5: of a chain, all but one group and the end.
__global__ void groups(float* out) {
  alignas(1024) extern __shared__ unsigned char memory[];
  fill(memory, 1, 2);
  const MatrixDescriptor a = operand_at(memory), b = operand_at(memory + kOperand);
  float first[8], second[8] = {5, 5, 5, 5, 5, 5, 5, 5}, chain[8] = {};
  const bool writes = threadIdx.x == 77;
  wgmma_fence();
  wgmma<__half, 16>(first, a, b, false);
  if (writes) out[0] = first[3];
  wgmma_commit();
  wgmma<__half, 16>(second, a, b, true);
  wgmma<__half, 16>(second, a.at(32), b.at(32), true);
  wgmma_commit();
  wgmma_wait<1>();
  if (writes) out[1] = first[3], out[2] = second[3];
  wgmma_wait<0>();
  if (writes) out[3] = second[3];
  wgmma_fence();
  for (int i = 0; i < 4; ++i) {
    wgmma<__half, 16>(chain, a, b, true);
    wgmma_commit();
    wgmma_wait<1>();
    if (writes) out[4] = chain[7];
  }
  wgmma_wait<0>();
  if (writes) out[5] = chain[7];
}
TEST(WgmmaLate, SumsAreThereWhenTheirGroupWasWaitedFor) {
  const Array<float> out(6);
  run({1}, 128, 2 * kOperand, groups, out.data());
  const std::vector<float> got = out.host();
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], 32);
  EXPECT_TRUE(std::isnan(got[2]));
  EXPECT_EQ(got[3], 5 + 64);
  EXPECT_TRUE(std::isnan(got[4]));
  EXPECT_EQ(got[5], 4 * 32);
}

// Each warpgroup has its own groups, fences and sums.
__global__ void two_groups(float* out) {
  alignas(1024) extern __shared__ unsigned char memory[];
  fill(memory, 1, 2);
  const MatrixDescriptor a = operand_at(memory), b = operand_at(memory + kOperand);
  const int group = static_cast<int>(threadIdx.x) / 128;
  float sums[8] = {};
  for (int i = 0; i <= 3 * group; ++i) {
    wgmma_fence();
    wgmma<__half, 16>(sums, a, b, true);
    wgmma_commit();
    wgmma_wait<0>();
  }
  out[threadIdx.x] = sums[5];
}
TEST(WgmmaLate, WarpgroupsDoNotWaitForEachOther) {
  const Array<float> out(256);
  run({1}, 256, 2 * kOperand, two_groups, out.data());
  EXPECT_EQ(out.host()[99], 32);
  EXPECT_EQ(out.host()[200], 4 * 32);
}

// What is changed before the wait is what is multiplied.
enum class Changed { nothing, shared, registers };
template <Changed changed> __global__ void change(float* out) {
  alignas(1024) extern __shared__ unsigned char memory[];
  fill(memory, 1, 2);
  const MatrixDescriptor b = operand_at(memory + kOperand);
  std::uint32_t a[4] = {0x3c003c00u, 0x3c003c00u, 0x3c003c00u, 0x3c003c00u};  // ones
  float sums[8];
  wgmma_fence();
  wgmma<__half, 16>(sums, a, b, false);
  wgmma_commit();
  if (changed == Changed::shared) fill(memory, 1, 3);
  if (changed == Changed::registers) a[0] = a[1] = a[2] = a[3] = 0;
  wgmma_wait<0>();
  if (threadIdx.x == 3) out[0] = sums[0];
}
TEST(WgmmaLate, OperandsAreReadWhenTheGroupIsWaitedFor) {
  const Array<float> out(1);
  run({1}, 128, 2 * kOperand, change<Changed::nothing>, out.data());
  EXPECT_EQ(out.host()[0], 32);
  run({1}, 128, 2 * kOperand, change<Changed::shared>, out.data());
  EXPECT_EQ(out.host()[0], 48);
  run({1}, 128, 2 * kOperand, change<Changed::registers>, out.data());
  EXPECT_EQ(out.host()[0], 0);
}

// Arrays of the kernel's own.
__global__ void in_static_memory(float* out) {
  alignas(1024) __shared__ unsigned char before[1024], memory[2 * kOperand];
  before[threadIdx.x] = 1;
  fill(memory, 1, 2);
  float sums[8];
  wgmma_fence();
  wgmma<__half, 16>(sums, operand_at(memory), operand_at(memory + kOperand), false);
  wgmma_commit();
  wgmma_wait<0>();
  out[threadIdx.x] = sums[0] + before[threadIdx.x];
}
TEST(WgmmaLate, OperandsMayLieInStaticArrays) {
  const Array<float> out(128);
  run({1}, 128, 0, in_static_memory, out.data());
  EXPECT_EQ(out.host()[5], 33);
}

// From here on: what ends the launch with a report that names the line.
enum class Wrong {
  thread_returns,
  thread_elsewhere,
  two_places,
  other_call,
  two_operands,
  two_sums,
  no_fence,
  no_second_fence,
  no_wait,
  no_commit,
  sums_written,
  operand_outside,
  operand_global,
  operand_misaligned,
  stride_odd
};
template <Wrong wrong> __global__ void refused(float* out) {
  alignas(1024) extern __shared__ unsigned char memory[];
  const int t = static_cast<int>(threadIdx.x);
  fill(memory, 1, 2);
  if (wrong == Wrong::operand_misaligned) (void)matrix_descriptor(memory + 8, Swizzle::b128, 1024);
  if (wrong == Wrong::stride_odd) (void)matrix_descriptor(memory, Swizzle::b128, 1000);
  const MatrixDescriptor a = operand_at(memory), b = operand_at(memory + kOperand);
  float sums[8] = {};
  if (wrong == Wrong::thread_returns && t == 100) return;
  if (wrong == Wrong::thread_elsewhere && t == 100) __syncthreads();
  if (wrong != Wrong::no_fence && wrong != Wrong::other_call) wgmma_fence();
  if (wrong == Wrong::other_call && t != 9) wgmma_fence();
  if (wrong == Wrong::other_call && t == 9) wgmma_commit();
  if (wrong == Wrong::two_places && t % 64 == 5) {
    wgmma<__half, 16>(sums, a, b, true);
  } else if (wrong == Wrong::two_operands) {
    wgmma<__half, 16>(sums, a.at(t == 40 ? 32 : 0), b, true);
  } else if (wrong == Wrong::operand_outside) {
    wgmma<__half, 16>(sums, a, b.at(kOperand - 1024), true);
  } else if (wrong == Wrong::operand_global) {
    wgmma<__half, 16>(sums, matrix_descriptor(out, Swizzle::b128, 1024), b, true);
  } else {
    wgmma<__half, 16>(sums, a, b, true);
  }
  float others[8] = {};
  if (wrong == Wrong::two_sums) wgmma<__half, 16>(t == 12 ? others : sums, a, b, true);
  if (wrong == Wrong::sums_written && t == 31) sums[2] = 1;
  if (wrong != Wrong::no_commit) wgmma_commit();
  if (wrong != Wrong::no_wait) wgmma_wait<0>();
  if (wrong == Wrong::no_second_fence) wgmma<__half, 16>(sums, a, b, true);
  out[t] = sums[0];
}
template <Wrong wrong> void expect_refused(const std::string& words, unsigned threads = 128) {
  const Array<float> out(1024);
  const Status status = launch({1}, threads, 2 * kOperand, nullptr, refused<wrong>, out.data());
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("wgmma_late_test.cu:"), std::string::npos) << status.message();
  (void)cudaGetLastError();
}
TEST(WgmmaLate, EveryThreadOfTheWarpgroupMustCome) {
  expect_refused<Wrong::thread_returns>("is for all 128 threads, and thread 100 is not there");
  expect_refused<Wrong::sums_written>("is for all 128 threads, and threads 192-255 are not there", 192);
  expect_refused<Wrong::thread_elsewhere>("(127 of 128 have arrived)");
  expect_refused<Wrong::thread_elsewhere>("waiting at __syncthreads");
  expect_refused<Wrong::two_places>(" called wgmma at ");
  expect_refused<Wrong::other_call>("wgmma_commit at ");
  expect_refused<Wrong::two_operands>(" pass different arguments");
  expect_refused<Wrong::two_sums>(" passes other accumulators than the threads before it");
}
TEST(WgmmaLate, MissingFencesAndWaitsAreReported) {
  expect_refused<Wrong::no_fence>("there was no wgmma_fence before it");
  expect_refused<Wrong::no_second_fence>("its accumulators were waited for, and there was no wgmma_fence since");
  expect_refused<Wrong::no_wait>("is in flight: no wgmma_wait has waited for it");
  expect_refused<Wrong::no_commit>("is in flight: no wgmma_wait has waited for it");
  expect_refused<Wrong::sums_written>("thread 31 has written to the accumulators of wgmma at ");
}
TEST(WgmmaLate, OperandsThatCannotBeAreReported) {
  expect_refused<Wrong::operand_outside>(" reads B from bytes ");
  expect_refused<Wrong::operand_global>(" reads A from bytes ");
  expect_refused<Wrong::operand_misaligned>("the address is no multiple of 16");
  expect_refused<Wrong::stride_odd>("the stride offset 1000 or the leading offset 16 is no multiple of 16");
}

// 384 threads begin with 168 registers each: 240 of two warpgroups and 24 of the third are as many.
enum class Registers { fit, never, too_many, keep_more, take_less };
template <Registers which> __global__ void exchange_registers(int* out) {
  if (threadIdx.x < 128) {
    if (which == Registers::keep_more) setmaxnreg_dec<176>();
    if (which == Registers::too_many) setmaxnreg_dec<32>();
    if (which == Registers::fit) setmaxnreg_dec<24>();
  } else if (which == Registers::take_less) {
    setmaxnreg_inc<160>();
  } else if (which != Registers::keep_more) {
    setmaxnreg_inc<240>();
  }
  out[threadIdx.x] = 1;
}
template <Registers which> std::string register_report() {
  const Array<int> out(384);
  const Status status = launch({1}, 384, 0, nullptr, exchange_registers<which>, out.data());
  (void)cudaGetLastError();
  return status.message();
}
TEST(Registers, AreExchangedBetweenWarpgroups) {
  EXPECT_EQ(register_report<Registers::fit>(), "");
  const std::string never = register_report<Registers::never>();
  EXPECT_NE(never.find("deadlock"), std::string::npos) << never;
  EXPECT_NE(never.find("waiting in setmaxnreg_inc, tests/emu/wgmma_late_test.cu:"), std::string::npos) << never;
  EXPECT_NE(never.find("(all have arrived, and there are 168 registers for each)"), std::string::npos) << never;
  EXPECT_NE(register_report<Registers::too_many>().find("there are 232 registers for each"), std::string::npos);
  EXPECT_NE(register_report<Registers::keep_more>().find("asks for 176 registers, and a thread has at most 168"),
            std::string::npos);
  EXPECT_EQ(register_report<Registers::take_less>(), "");  // who knows that it had more
}

}  // namespace
}  // namespace cairn::emu_test
