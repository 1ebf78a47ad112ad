// Cooperative launches: all blocks are co-resident and meet at grid.sync(); what does not fit is refused, and a grid
// that can never meet ends with a report.
#include <cooperative_groups.h>
#include <string>

#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

#define LINE std::to_string(__LINE__)
const std::string kHere = "tests/emu/cooperative_launch_test.cu:";

template <class... P, class... A>
cudaError_t launch_together(dim3 grid, dim3 block, std::size_t shared, void (*kernel)(P...), A... arguments) {
  void* pointers[] = {&arguments...};
  return cudaLaunchCooperativeKernel(kernel, grid, block, pointers, shared);
}

// Every round a block writes its cell and then reads those of all others. More blocks than OS threads.
__global__ void rounds(int count, int* cells, int* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto blocks = static_cast<int>(grid.num_blocks()), block = static_cast<int>(grid.block_rank());
  int sum = 0;
  for (int round = 0; round < count; ++round) {
    if (threadIdx.x == 5) cells[block] = block + 100 * round;
    grid.sync();
    for (int i = 0; i < blocks; ++i) sum = (3 * sum + cells[i]) % 10007;
    grid.sync();
  }
  out[grid.thread_rank()] = sum;
}
TEST(CooperativeLaunch, AllBlocksMeetManyTimes) {
  constexpr int kBlocks = 40, kRounds = 6;
  const Array<int> cells(kBlocks), out(kBlocks * 64);
  ASSERT_EQ(launch_together(dim3(5, 4, 2), 64, 0, rounds, kRounds, cells.data(), out.data()), cudaSuccess)
      << cudaGetErrorString(cudaGetLastError());
  int sum = 0;
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < kBlocks; ++i) sum = (3 * sum + i + 100 * round) % 10007;
  EXPECT_EQ(out.host(), std::vector<int>(kBlocks * 64, sum));
}

__global__ void facts(int* out) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_group any = grid;
  int* mine = out + (blockIdx.x + 3 * blockIdx.y) * 8;
  if (threadIdx.x != 3) return;
  mine[0] = grid.is_valid() ? 1 : 0;
  mine[1] = static_cast<int>(grid.thread_rank());
  mine[2] = static_cast<int>(grid.size());
  mine[3] = static_cast<int>(grid.block_rank());
  mine[4] = static_cast<int>(grid.num_blocks());
  mine[5] = static_cast<int>(grid.dim_blocks().x + 10 * grid.group_dim().y);
  mine[6] = static_cast<int>(grid.block_index().x + 10 * grid.block_index().y);
  mine[7] = static_cast<int>(any.thread_rank() + 1000 * any.size());
}
TEST(CooperativeLaunch, AGridKnowsItsThreads) {
  for (const bool together : {true, false}) {
    const Array<int> out(48);
    if (together) {
      ASSERT_EQ(launch_together(dim3(3, 2), 32, 0, facts, out.data()), cudaSuccess);
    } else {
      run({3, 2}, 32, 0, facts, out.data());
    }
    const auto got = out.host();
    for (int b = 0; b < 6; ++b) {
      const std::vector<int> want = {together, 32 * b + 3, 192, b, 6, 23, b % 3 + 10 * (b / 3), 192000 + 32 * b + 3};
      EXPECT_EQ(std::vector<int>(got.begin() + 8 * b, got.begin() + 8 * b + 8), want) << b;
    }
  }
}

// The same by the launch attribute.
TEST(CooperativeLaunch, ByAnAttribute) {
  for (const int asked : {1, 0}) {
    const Array<int> cells(3), out(96);
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = asked;
    cudaLaunchConfig_t config{};
    config.gridDim = 3, config.blockDim = 32, config.attrs = &together, config.numAttrs = 1;
    EXPECT_EQ(cudaLaunchKernelEx(&config, rounds, 1, cells.data(), out.data()),
              asked == 1 ? cudaSuccess : cudaErrorLaunchFailure);
    (void)cudaGetLastError();
    if (asked == 1) {
      EXPECT_EQ(out.host(), std::vector<int>(96, 1 * 3 + 2));
    }
  }
}

TEST(CooperativeLaunch, TheDeviceSaysThatItCan) {
  int can = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0), cudaSuccess);
  EXPECT_EQ(can, 1);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.cooperativeLaunch, 1);
}

// As many blocks as cudaOccupancyMaxActiveBlocksPerMultiprocessor promises, and not one more.
TEST(CooperativeLaunch, TooManyBlocksAreRefused) {
  emu::Settings few;
  few.sms = 3;
  emu::configure(few);
  constexpr std::size_t kShared = 40 * 1024;
  int each = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, rounds, 64, kShared), cudaSuccess);
  ASSERT_EQ(each, 5);
  const Array<int> cells(16), out(16 * 64);
  EXPECT_EQ(launch_together(15, 64, kShared, rounds, 2, cells.data(), out.data()), cudaSuccess);
  EXPECT_EQ(launch_together(16, 64, kShared, rounds, 2, cells.data(), out.data()),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(static_cast<int>(cudaErrorCooperativeLaunchTooLarge), 720);
  const std::string said = cudaGetErrorString(cudaPeekAtLastError());
  EXPECT_NE(said.find("16 blocks; the device holds 15 of them at once"), std::string::npos) << said;
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  emu::configure({});
}

std::string report_of(cudaError_t error) {
  EXPECT_EQ(error, cudaErrorLaunchFailure);
  const std::string report = cudaGetErrorString(error);
  (void)cudaGetLastError();
  const Array<int> cells(4), out(4 * 32);
  EXPECT_EQ(launch_together(4, 32, 0, rounds, 1, cells.data(), out.data()), cudaSuccess);
  return report;
}
void expect_parts(const std::string& report, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(report.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << report;
}

const std::string stays_away_line = LINE;
__global__ void stays_away(unsigned who, bool whole) {
  if (blockIdx.x == who && (whole || threadIdx.x == 9)) return;
  cg::this_grid().sync();
}
TEST(CooperativeLaunch, ABlockThatReturnedIsNamed) {
  const std::string at = kHere + std::to_string(std::stoi(stays_away_line) + 3);
  expect_parts(report_of(launch_together(4, 64, 0, stays_away, 2u, true)),
               {"stays_away, block (", "of (4,1,1): deadlock, it waits for all blocks of the grid at grid.sync",
                "and block (2,0,0) has returned",
                "\n  threads 0-63: waiting at grid.sync, " + at + " (64 of the block's 64 threads have arrived)"});
  expect_parts(
      report_of(launch_together(4, 64, 0, stays_away, 1u, false)),
      {"block (1,0,0) of (4,1,1): deadlock, none of its 64 threads can go on",
       "\n  threads 0-8, 10-63: waiting at grid.sync, " + at + " (63 of the block's 64 threads have arrived)",
       "\n  thread 9: returned"});
  EXPECT_EQ(launch_together(4, 64, 0, stays_away, 4u, true), cudaSuccess);
}

// All but one wait at the grid's barrier, and that one for what they would do after it.
__global__ void polls(int* flag) {
  if (blockIdx.x == 1) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  }
  cg::this_grid().sync();
  atomicExch(flag, 1);
}
TEST(CooperativeLaunch, AnEndlessPollIsStuck) {
  const Array<int> flag(1);
  expect_parts(report_of(launch_together(3, 32, 0, polls, flag.data())), {"stuck, no thread of any running block"});
}

const std::string alone_line = LINE;
__global__ void meets() { cg::this_grid().sync(); }
TEST(CooperativeLaunch, AnOrdinaryLaunchHasNoGridBarrier) {
  cudaLaunchConfig_t config{};
  config.gridDim = 2, config.blockDim = 32;
  expect_parts(report_of(cudaLaunchKernelEx(&config, meets)),
               {"grid.sync at " + kHere + std::to_string(std::stoi(alone_line) + 1), "the launch is not cooperative",
                "cudaLaunchCooperativeKernel"});
}

TEST(CooperativeLaunch, AVoidPointerIsNoKernel) {
  EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meets), 2, 32, nullptr), cudaErrorNotSupported);
  const std::string said = cudaGetErrorString(cudaGetLastError());
  EXPECT_NE(said.find("cudaLaunchCooperativeKernel of a void*: pass the kernel itself"), std::string::npos) << said;
}

// Two barriers of one launch: of clusters of two blocks, and of all.
__global__ void both(int* cells, int* out) {
  const auto cluster = cg::this_cluster();
  const auto grid = cg::this_grid();
  const unsigned mate = blockIdx.x ^ 1;
  if (threadIdx.x == 0) cells[blockIdx.x] = static_cast<int>(10 * cluster.block_rank() + cluster.num_blocks());
  cluster.sync();
  const int near = cells[mate];
  grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 100 * near + cells[(blockIdx.x + 2) % 6];
  cluster.sync();
}
TEST(CooperativeLaunch, WithClusters) {
  const Array<int> cells(6), out(6);
  cudaLaunchAttribute how[2] = {};
  how[0].id = cudaLaunchAttributeCooperative;
  how[0].val.cooperative = 1;
  how[1].id = cudaLaunchAttributeClusterDimension;
  how[1].val.clusterDim.x = 2, how[1].val.clusterDim.y = how[1].val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 6, config.blockDim = 64, config.attrs = how, config.numAttrs = 2;
  ASSERT_EQ(cudaLaunchKernelEx(&config, both, cells.data(), out.data()), cudaSuccess);
  EXPECT_EQ(out.host(), (std::vector<int>{1202, 212, 1202, 212, 1202, 212}));
}

}  // namespace
}  // namespace cairn::emu_test
