// mbarriers, TMA and clusters on the emulator: what it does later than a GPU would, and which errors end a launch.
// Each report must name the thread, the call and the line, and the next launch must work.
#include <string>

#include "device/cluster.hpp"
#include "device/tma.hpp"
#include "emu/machine/errors.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

__global__ void healthy(int* out) {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) mbarrier_init(&barrier, 64);
  __syncthreads();
  mbarrier_arrive(&barrier);
  mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = 42;
}

TensorMap rows_of(const Array<float>& array, std::uint64_t rows, std::uint32_t box_rows = 1,
                  Swizzle swizzle = Swizzle::none) {
  TensorMap map;
  const TensorBox box{.base = array.data(),
                      .type = Type::f32,
                      .sizes = {32, rows},
                      .strides = {0, 128},
                      .box = {32, box_rows},
                      .swizzle = swizzle};
  const Status made = make_tensor_map(map, box);
  EXPECT_TRUE(made.ok()) << made.message();
  return map;
}

template <class... P, class... A>
std::string report_of(unsigned cluster, Grid grid, dim3 block, void (*kernel)(P...), const A&... arguments) {
  const Status status = launch_cluster(cluster, grid, block, 4096, nullptr, kernel, arguments...);
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_TRUE(emu::take_failure().ok()) << "launch has told it already";
  const Array<int> out(64);
  run({1}, 64, 0, healthy, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(64, 42));
  return status.message();
}

void expect_parts(const std::string& report, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(report.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << report;
}

const std::string kHere = "tests/emu/sm90_report_test.cu:";
constexpr unsigned kPoison = 0xffffffffu;

enum class Wait { none, wrong_parity, right };
template <Wait wait> __global__ void early_look(const __grid_constant__ TensorMap map, float* source, unsigned* out) {
  alignas(128) __shared__ unsigned row[32];
  __shared__ Mbarrier arrived;
  for (unsigned& each : row) each = 1;
  mbarrier_init(&arrived, 1);
  fence_mbarrier_init();
  mbarrier_arrive_expect_tx(&arrived, sizeof row);
  const int at[] = {0, 1};
  tma_load(row, map, at, &arrived);
  if (wait != Wait::none) mbarrier_wait(&arrived, wait == Wait::right ? 0 : 1);
  out[0] = row[0];
  source[32] = 7;
  mbarrier_wait(&arrived, 0);
  out[1] = row[0];
}
template <Wait wait> std::vector<unsigned> seen_early() {
  const Array<float> in(std::vector<float>(64, 2.0F));
  const Array<unsigned> out(2);
  run({1}, 1, 0, early_look<wait>, rows_of(in, 2), in.data(), out.data());
  return out.host();
}
TEST(Sm90Late, ALoadLandsWhenItIsWaitedFor) {
  constexpr unsigned two = 0x40000000u, seven = 0x40e00000u;
  EXPECT_EQ(seen_early<Wait::none>(), (std::vector<unsigned>{kPoison, seven}));
  EXPECT_EQ(seen_early<Wait::wrong_parity>(), (std::vector<unsigned>{kPoison, seven}));
  EXPECT_EQ(seen_early<Wait::right>(), (std::vector<unsigned>{two, two}));
}

// The source of a store is read when its thread waits for that, and written when it waits for more.
template <bool waits> __global__ void early_reuse(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float row[32];
  for (float& each : row) each = 1;
  fence_proxy_async();
  const int at[] = {0, 0};
  tma_store(map, at, row);
  tma_commit();
  if (waits) tma_wait_read<0>();
  row[0] = 9;
  tma_wait_read<0>();
  out[32] = out[0];
  tma_wait<0>();
  out[33] = out[0];
}
TEST(Sm90Late, AStoreReadsAndWritesWhenItIsWaitedFor) {
  const Array<float> wrong(64), right(64);
  run({1}, 1, 0, early_reuse<false>, rows_of(wrong, 1), wrong.data());
  EXPECT_EQ(wrong.host()[33], 9);
  run({1}, 1, 0, early_reuse<true>, rows_of(right, 1), right.data());
  EXPECT_EQ(right.host()[32], 0);
  EXPECT_EQ(right.host()[33], 1);
}

__global__ void never_released(int* out) {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 3);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 5) mbarrier_arrive_expect_tx(&barrier, 512);
  if (threadIdx.x < 32) mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = 1;
}
TEST(Sm90Report, AWaitThatNothingReleases) {
  const Array<int> out(64);
  expect_parts(report_of(1, {1}, 64, never_released, out.data()),
               {"deadlock, none of its 64 threads can go on", "\n  threads 0-31: waiting at mbarrier_wait, " + kHere,
                "barrier at byte 0 of", "::barrier, parity 0 (2 arrivals and 512 bytes are missing)",
                "\n  threads 32-63: returned"});
}

__global__ void too_few_copies(const __grid_constant__ TensorMap map) {
  extern __shared__ __align__(1024) unsigned char dynamic[];
  auto* barrier = reinterpret_cast<Mbarrier*>(dynamic + 2048);
  mbarrier_init(barrier, 1);
  fence_mbarrier_init();
  mbarrier_arrive_expect_tx(barrier, 256);
  const int at[] = {0, 0};
  tma_load(dynamic, map, at, barrier);
  mbarrier_wait(barrier, 0);
}
TEST(Sm90Report, BytesThatNobodyBrings) {
  const Array<float> in(64);
  expect_parts(report_of(1, {1}, 1, too_few_copies, rows_of(in, 2)),
               {"barrier at byte 2048 of dynamic shared memory, parity 0 (0 arrivals and 128 bytes are missing)"});
}

enum class Bad {
  no_init,
  second_init,
  no_arrivals,
  not_shared,
  too_many_arrivals,
  too_few_bytes,
  too_many_bytes,
  not_ready,
  misaligned,
  swizzle_misaligned,
  global_target,
  past_the_end,
  other_rank,
  no_map,
  left_in_flight,
  left_expecting,
  unread,
  between_chunks,
  no_peer,
  no_arrive,
  second_arrive
};
template <Bad bad>
__global__ void misuse(const __grid_constant__ TensorMap map, const __grid_constant__ TensorMap swizzled,
                       float* global) {
  extern __shared__ __align__(1024) unsigned char dynamic[];
  __shared__ Mbarrier barrier;
  const int at[] = {0, 0};
  if (bad == Bad::no_init) mbarrier_arrive(&barrier);
  if (bad == Bad::not_shared) mbarrier_init(reinterpret_cast<Mbarrier*>(global), 1);
  mbarrier_init(&barrier, bad == Bad::no_arrivals ? 0 : 1);
  if (bad == Bad::second_init) mbarrier_init(&barrier, 1);
  if (bad != Bad::not_ready) fence_mbarrier_init();
  if (bad == Bad::too_many_bytes) mbarrier_arrive_expect_tx(&barrier, 1u << 20);
  if (bad == Bad::left_expecting) mbarrier_arrive_expect_tx(&barrier, 64);
  if (bad == Bad::too_many_arrivals) {
    mbarrier_arrive_expect_tx(&barrier, 128);
    tma_load(dynamic, map, at, &barrier);
    mbarrier_arrive(&barrier);
  }
  if (bad == Bad::too_few_bytes || bad == Bad::left_in_flight || bad == Bad::not_ready) {
    mbarrier_arrive_expect_tx(&barrier, bad == Bad::too_few_bytes ? 64 : 128);
    tma_load(dynamic, map, at, &barrier);
  }
  if (bad == Bad::misaligned) tma_load(dynamic + 64, map, at, &barrier);
  if (bad == Bad::swizzle_misaligned) tma_load(dynamic + 512, swizzled, at, &barrier);
  if (bad == Bad::global_target) tma_load(global, map, at, &barrier);
  if (bad == Bad::past_the_end) tma_load(dynamic + 3072, swizzled, at, &barrier);
  if (bad == Bad::other_rank) {
    const int three[] = {0, 0, 0};
    tma_load(dynamic, map, three, &barrier);
  }
  if (bad == Bad::between_chunks) {
    const int third[] = {2, 0};  // of f32, at byte 8
    tma_load(dynamic, map, third, &barrier);
  }
  if (bad == Bad::no_map) {
    TensorMap unmade{};
    tma_load(dynamic, unmade, at, &barrier);
  }
  if (bad == Bad::unread) {
    tma_store(map, at, dynamic);
    tma_commit();
  }
  if (bad == Bad::no_peer) mbarrier_arrive_remote(&barrier, 1);
  if (bad == Bad::no_arrive) cluster_wait();
  if (bad == Bad::second_arrive) cluster_arrive(), cluster_arrive();
}
template <Bad bad> void expect_misuse(const std::vector<std::string>& parts) {
  const Array<float> global(64 * 32);
  const TensorMap map = rows_of(global, 64), swizzled = rows_of(global, 64, 16, Swizzle::b128);
  const std::string report = report_of(1, {1}, 1, misuse<bad>, map, swizzled, global.data());
  expect_parts(report, parts);
  expect_parts(report, {kHere});
}
TEST(Sm90Report, BarriersThatNoGpuHas) {
  expect_misuse<Bad::no_init>(
      {"mbarrier_arrive at", "no thread has initialised the barrier at byte 0 of", "::barrier"});
  expect_misuse<Bad::second_init>({"mbarrier_init at", "has been initialised already, at " + kHere});
  expect_misuse<Bad::no_arrivals>({"a phase of 0 arrivals"});
  expect_misuse<Bad::not_shared>({"a barrier is 8 bytes of shared memory"});
  expect_misuse<Bad::too_many_arrivals>({"mbarrier_arrive at", "all of the 1 arrival of this phase have arrived"});
  expect_misuse<Bad::too_few_bytes>({"it expects 64 bytes, and what has been issued", "brings 128"});
  expect_misuse<Bad::too_many_bytes>({"is to expect 1048576 bytes in one phase; it can count 1048575"});
  expect_misuse<Bad::not_ready>({"tma_load at", "until its thread calls fence_mbarrier_init()"});
}
TEST(Sm90Report, BoxesThatTheEngineCannotCopy) {
  expect_misuse<Bad::between_chunks>({"tma_load at", "the first coordinate is not at a multiple of 16 bytes"});
  expect_misuse<Bad::misaligned>({"byte 64 of dynamic shared memory, and must begin at a multiple of 128"});
  expect_misuse<Bad::swizzle_misaligned>({"byte 512 of dynamic", "must begin at a multiple of 1024"});
  expect_misuse<Bad::global_target>({"the box is to lie at an address that is not in shared memory"});
  expect_misuse<Bad::past_the_end>({"the box of 2048 bytes, which begins at byte 3072", "reaches past its end"});
  expect_misuse<Bad::other_rank>({"3 coordinates for a tensor map of rank 2"});
  expect_misuse<Bad::no_map>({"the tensor map was not made by make_tensor_map"});
}
TEST(Sm90Report, BlocksThatEndTooEarly) {
  expect_misuse<Bad::left_in_flight>({"the block ends while the barrier", "a copy that is in flight, issued at"});
  expect_misuse<Bad::left_expecting>({"the block ends while the barrier", "still expects 64 bytes"});
  expect_misuse<Bad::unread>({"the block ends while a store still reads its shared memory, issued at"});
}
TEST(Sm90Report, ClustersThatAreNone) {
  expect_misuse<Bad::no_peer>({"there is no block 1 in a cluster of 1"});
  expect_misuse<Bad::no_arrive>({"cluster_wait at", "no cluster_arrive() before"});
  expect_misuse<Bad::second_arrive>({"a second cluster_arrive() without a cluster_wait()"});
}

// One block waits for an arrival that the other never sends, which waits too.
__global__ void waits_for_the_other(int* out) {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 1);
    fence_mbarrier_init();
  }
  cluster_sync();
  if (cluster_rank() == 0) mbarrier_wait(&barrier, 0);
  cluster_sync();
  *out = 1;
}
TEST(Sm90Report, BlocksOfAClusterThatWaitForEachOther) {
  const Array<int> out(1);
  expect_parts(
      report_of(2, {4}, 64, waits_for_the_other, out.data()),
      {"deadlock, none of its 64 threads can go on", "waiting at mbarrier_wait, " + kHere, "barrier at byte 0 of",
       "::barrier, parity 0 (1 arrival is missing)", "of its cluster", "waiting at cluster_sync, " + kHere});
}

// A peer that exits early: the arrival finds it gone, or it goes and nothing made it wait.
template <bool late> __global__ void exits_early(int* out) {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 32);
    fence_mbarrier_init();
  }
  cluster_sync();
  if (cluster_rank() == 1 && !late) return;
  if (cluster_rank() == 1) {
    while (atomicAdd(out, 0) == 0) __nanosleep(100);
    return;
  }
  mbarrier_arrive_remote(&barrier, 1);
  atomicExch(out, 1);
}
TEST(Sm90Report, APeerThatExitsEarly) {
  for (int i = 0; i < 20; ++i) {
    const Array<int> out(1);
    const std::string report = report_of(2, {2}, 32, exits_early<false>, out.data());
    const bool gone = report.find("block 1 of its cluster has ended, and its shared memory") != std::string::npos;
    const bool goes = report.find("the block ends, and nothing makes it wait until") != std::string::npos;
    EXPECT_TRUE(gone || goes) << report;
    expect_parts(report, {kHere});
  }
  const Array<int> out(1);
  expect_parts(report_of(2, {2}, 32, exits_early<true>, out.data()),
               {"the block ends, and nothing makes it wait until the barrier at byte 0 of",
                "has been reached by block 0 of its cluster, at " + kHere});
}

// The other block may not have begun, or not have made its barrier.
template <bool meets> __global__ void unmet() {
  __shared__ Mbarrier barrier;
  if (meets) cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) mbarrier_arrive_remote(&barrier, 1);
  if (meets) cluster_sync();
}
TEST(Sm90Report, AnArrivalWhereNobodyMayBe) {
  expect_parts(report_of(2, {2}, 32, unmet<false>), {"no cluster_sync() before, so the other block may not have"});
  expect_parts(report_of(2, {2}, 32, unmet<true>),
               {"no thread has initialised the barrier", "block 0 of its cluster"});
}

// One block of a cluster polls for what no thread writes, while the other waits for it.
__global__ void polls(int* flag) {
  if (cluster_rank() == 0) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  }
  cluster_sync();
}
TEST(Sm90Report, ABlockThatPollsWhileTheOtherSleeps) {
  const Array<int> flag(1);
  expect_parts(report_of(2, {2}, 32, polls, flag.data()), {"stuck, no thread of any running block"});
}

TEST(Sm90Report, GridsThatAreNoMultipleOfTheirCluster) {
  expect_parts(report_of(3, {4}, 32, unmet<true>), {"a grid of 4 x 1 x 1 blocks is no multiple of a cluster of 3"});
  expect_parts(report_of(9, {9}, 32, unmet<true>), {"a cluster of 9 x 1 x 1 blocks; a cluster has 1 to 8"});
}

}  // namespace
}  // namespace cairn::emu_test
