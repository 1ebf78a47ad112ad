// mbarriers: waiting by parity, and phases that complete by arrivals and by bytes.
#include "device/mbarrier.hpp"
#include "device/tma.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// The phase before the first counts as complete; the first is not until all have arrived.
__global__ void first_phase(int* out) {
  __shared__ Mbarrier barrier;
  __shared__ int cell;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 2);
    fence_mbarrier_init();
    mbarrier_wait(&barrier, 1);
  }
  __syncthreads();
  if (threadIdx.x == 40) {
    cell = 5;
    mbarrier_arrive(&barrier);
  }
  if (threadIdx.x == 70) mbarrier_arrive(&barrier);
  mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = cell;
}
TEST(Mbarrier, TheFirstPhaseEndsWhenAllHaveCome) {
  const Array<int> out(96);
  run({3}, 96, 0, first_phase, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(96, 5));
}

// Two barriers hand a cell back and forth: one thread writes it, the others read it, many times.
__global__ void hand_over(int rounds, int* out) {
  __shared__ Mbarrier full, empty;
  __shared__ int cell;
  const int readers = static_cast<int>(blockDim.x) - 1;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    mbarrier_init(&empty, static_cast<unsigned>(readers));
    fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned parity = static_cast<unsigned>(round) & 1;
    if (threadIdx.x == 0) {
      mbarrier_wait(&empty, parity ^ 1);
      cell = round * round + 1;
      mbarrier_arrive(&full);
    } else {
      mbarrier_wait(&full, parity);
      sum = 3 * sum + cell;
      mbarrier_arrive(&empty);
    }
  }
  out[threadIdx.x] = sum;
}
TEST(Mbarrier, PhasesFollowEachOther) {
  for (const int rounds : {1, 2, 3, 8, 33}) {
    const Array<int> out(128);
    run({2}, 128, 0, hand_over, rounds, out.data());
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum = 3 * sum + round * round + 1;
    std::vector<int> want(128, sum);
    want[0] = 0;
    EXPECT_EQ(out.host(), want) << rounds;
  }
}

constexpr int kWidth = 32, kRows = 16, kStages = 3;  // of a tile; of the ring

// The loop that rungs are made of: a warp that copies, and warps that use what has come.
__global__ void ring(const __grid_constant__ TensorMap map, int tiles, float* out) {
  alignas(128) __shared__ float stage[kStages][kRows][kWidth];
  __shared__ Mbarrier full[kStages], empty[kStages];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, users = blockDim.x / 32 - 1;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(&full[s], 1);
      mbarrier_init(&empty[s], users);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane != 0) return;
    for (int tile = 0; tile < tiles; ++tile) {
      const int s = tile % kStages;
      mbarrier_wait(&empty[s], (static_cast<unsigned>(tile / kStages) & 1) ^ 1);
      mbarrier_arrive_expect_tx(&full[s], sizeof stage[s]);
      const int top[] = {0, tile * kRows}, low[] = {0, tile * kRows + kRows / 2};
      tma_load(&stage[s][0], map, top, &full[s]);
      tma_load(&stage[s][kRows / 2], map, low, &full[s]);
    }
    return;
  }
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int s = tile % kStages;
    mbarrier_wait(&full[s], static_cast<unsigned>(tile / kStages) & 1);
    for (int row = 0; row < kRows; ++row) sum = sum * 0.5F + stage[s][row][lane];
    __syncwarp();
    if (lane == 0) mbarrier_arrive(&empty[s]);
  }
  out[threadIdx.x - 32] = sum;
}
TEST(Mbarrier, ARingIsRefilledWhileItIsUsed) {
  for (const int tiles : {1, 2, 3, 4, 7, 20}) {
    const auto rows = static_cast<std::size_t>(tiles * kRows);
    std::vector<float> values(rows * kWidth);
    Values random(5);
    for (float& value : values) value = static_cast<float>(random.next() % 64);
    const Array<float> in(values), out(128);
    TensorMap map;
    const TensorBox box{.base = in.data(),
                        .type = Type::f32,
                        .sizes = {kWidth, rows},
                        .strides = {0, kWidth * sizeof(float)},
                        .box = {kWidth, kRows / 2}};
    const Status made = make_tensor_map(map, box);
    ASSERT_TRUE(made.ok()) << made.message();
    run({2}, 160, 0, ring, map, tiles, out.data());
    const auto got = out.host();
    for (std::size_t t = 0; t < 128; ++t) {
      float sum = 0;
      for (std::size_t row = 0; row < rows; ++row) sum = sum * 0.5F + values[row * kWidth + t % 32];
      EXPECT_EQ(got[t], sum) << tiles << " tiles, thread " << t;
    }
  }
}

}  // namespace
}  // namespace cairn::emu_test
