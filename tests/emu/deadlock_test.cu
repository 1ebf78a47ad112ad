// Kernels that would hang, or worse, on a GPU: each must end with a report of which threads wait where, and the next
// launch must work.
#include <string>

#include "device/barrier.hpp"
#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

#define LINE std::to_string(__LINE__)

__global__ void healthy(int* out) {
  __shared__ int cell;
  if (threadIdx.x == 7) cell = 42;
  __syncthreads();
  out[threadIdx.x] = __shfl_sync(0xffffffffu, cell, 3);
}

// Launches a kernel that must fail, shows that the emulator is whole afterwards, and gives the report.
template <class... P, class... A>
std::string report_of(Grid grid, dim3 block, void (*kernel)(P...), const A&... arguments) {
  const Status status = launch(grid, block, 0, nullptr, kernel, arguments...);
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_TRUE(emu::take_failure().ok()) << "launch has told it already";
  Array<int> out(64);
  run({1}, 64, 0, healthy, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(64, 42));
  return status.message();
}

void expect_parts(const std::string& report, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(report.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << report;
}

const std::string kHere = "tests/emu/deadlock_test.cu:";

const std::string half_skips_line = LINE;
__global__ void half_skips(int* out) {
  if (threadIdx.x < 64) __syncthreads();
  if (threadIdx.x >= 64) bar_sync(1, 128);
  *out = 1;
}
TEST(Deadlock, HalfTheBlockSkipsABarrier) {
  Array<int> out(1);
  const int line = std::stoi(half_skips_line);
  expect_parts(report_of({2}, 128, half_skips, out.data()),
               {"half_skips, block (", " of (2,1,1): deadlock, none of its 128 threads can go on",
                "\n  threads 0-63: waiting at __syncthreads, " + kHere + std::to_string(line + 2) +
                    " (64 of 128 have arrived)",
                "\n  threads 64-127: waiting at bar_sync, " + kHere + std::to_string(line + 3) +
                    ", barrier 1 (64 of 128 have arrived)"});
}

__global__ void early_return(int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  __syncthreads();
}
TEST(Deadlock, ReturnBeforeABarrier) {
  expect_parts(report_of({1}, 96, early_return, 90),
               {"block (0,0,0) of (1,1,1)", "\n  threads 0-89: waiting at __syncthreads", "(90 of 96 have arrived)",
                "\n  threads 90-95: returned"});
  run({1}, 96, 0, early_return, 96);
}

__global__ void wrong_mask(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffffffffu;
  out[threadIdx.x] = __shfl_sync(mask, static_cast<int>(threadIdx.x), 0);
  __syncwarp();
}
// Half the warp names all and the other half itself, so that this half is a collective ahead of the others.
TEST(Deadlock, ShuffleMasksThatDoNotAgree) {
  Array<int> out(32);
  expect_parts(report_of({1}, 32, wrong_mask, out.data()), {"warp 0: lane", "calls __", "__syncwarp at " + kHere,
                                                            "__shfl_sync at " + kHere, "with mask 0xffffffff"});
}

__global__ void crossed_masks(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0x0001ffffu : 0xffff8000u;
  out[threadIdx.x] = __shfl_sync(mask, 1, 0);
}
TEST(Deadlock, ShuffleMasksThatCross) {
  Array<int> out(32);
  expect_parts(report_of({1}, 32, crossed_masks, out.data()), {"0x0001ffff", "0xffff8000", "warp 0: lane", kHere});
}

__global__ void mixed_calls(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = __shfl_up_sync(0xffffffffu, 1, 1);
  } else {
    __syncwarp();
  }
}
TEST(Deadlock, DifferentCollectivesOfOneWarp) {
  Array<int> out(64);
  expect_parts(report_of({1}, 64, mixed_calls, out.data()), {"__shfl_up_sync", "__syncwarp", "waits for it in"});
}

__global__ void stranger(int* out) { out[threadIdx.x] = __any_sync(0x0000fff0u, 1); }
TEST(Deadlock, AMaskWithoutTheCaller) {
  Array<int> out(32);
  expect_parts(report_of({1}, 32, stranger, out.data()),
               {"calls __any_sync", "with mask 0x0000fff0, which does not name the lane itself"});
}

__global__ void lane_stays_away(int* out) {
  if (threadIdx.x == 9) __syncthreads();
  out[threadIdx.x] = static_cast<int>(__ballot_sync(0xffffffffu, 1));
  if (threadIdx.x != 9) __syncthreads();
}
TEST(Deadlock, ALaneWaitsElsewhere) {
  Array<int> out(32);
  expect_parts(report_of({1}, 32, lane_stays_away, out.data()),
               {"\n  threads 0-8, 10-31: waiting in __ballot_sync", "mask 0xffffffff",
                "\n  thread 9: waiting at __syncthreads", "(1 of 32 have arrived)"});
}

__global__ void circular(int* out) {
  const int side = static_cast<int>(threadIdx.x) / 32;
  bar_sync(1 + side, 64);
  bar_sync(2 - side, 64);
  *out = 1;
}
TEST(Deadlock, CircularNamedBarriers) {
  Array<int> out(1);
  expect_parts(report_of({1}, 64, circular, out.data()),
               {"\n  threads 0-31: waiting at bar_sync, " + kHere, ", barrier 1 (32 of 64 have arrived)",
                "\n  threads 32-63: waiting at bar_sync, " + kHere, ", barrier 2 (32 of 64 have arrived)"});
}

__global__ void bad_barrier(int id, int threads) { bar_sync(id, threads); }
__global__ void other_count() { bar_sync(1, threadIdx.x < 32 ? 64 : 96); }
TEST(Deadlock, BarriersNoGpuHas) {
  expect_parts(report_of({1}, 64, bad_barrier, 16, 64), {"for barrier 16 and 64 threads", "0 to 15"});
  expect_parts(report_of({1}, 64, bad_barrier, 1, 40), {"for barrier 1 and 40 threads", "multiple of 32"});
  expect_parts(report_of({1}, 64, other_count), {"uses barrier 1 for", "while others wait at it for"});
}

const std::string poll_line = LINE;
__global__ void poll(int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  }
  __syncthreads();
}
TEST(Deadlock, AFlagThatNobodySets) {
  Array<int> flag(1);
  const std::string report = report_of({2}, 32, poll, flag.data());
  expect_parts(report, {"stuck, no thread of any running block has changed anything", "\n  thread 0: polling with ",
                        kHere + std::to_string(std::stoi(poll_line) + 3),
                        "\n  threads 1-31: waiting at __syncthreads", "(31 of 32 have arrived)"});
  Array<int> set(std::vector<int>{1});
  run({2}, 32, 0, poll, set.data());
}

// One block fails while another polls for what it would have done: the other is not waited for.
__global__ void waits_for_the_dead(int* flag) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) return;
    __syncthreads();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  }
}
TEST(Deadlock, OneFailureEndsTheLaunch) {
  Array<int> flag(1);
  expect_parts(report_of({2}, 32, waits_for_the_dead, flag.data()), {"block (0,0,0) of (2,1,1): deadlock"});
}

}  // namespace
}  // namespace cairn::emu_test
