// threadIdx, blockIdx, blockDim and gridDim in one, two and three dimensions.
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

struct Where {
  uint3 thread, block;
  unsigned block_dim[3], grid_dim[3];
};

__global__ void tell(Where* out) {
  const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  Where& w = out[block * (blockDim.x * blockDim.y * blockDim.z) + in_block];
  w.thread = threadIdx;
  w.block = blockIdx;
  w.block_dim[0] = blockDim.x, w.block_dim[1] = blockDim.y, w.block_dim[2] = blockDim.z;
  w.grid_dim[0] = gridDim.x, w.grid_dim[1] = gridDim.y, w.grid_dim[2] = gridDim.z;
}

void check(dim3 grid, dim3 block) {
  const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z, threads = block.x * block.y * block.z;
  Array<Where> out(blocks * threads);
  run({grid.x, grid.y, grid.z}, block, 0, tell, out.data());
  std::size_t i = 0;
  const std::vector<Where> told = out.host();
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned z = 0; z < block.z; ++z)
          for (unsigned y = 0; y < block.y; ++y)
            for (unsigned x = 0; x < block.x; ++x) {
              const Where& w = told[i++];
              ASSERT_TRUE(w.thread.x == x && w.thread.y == y && w.thread.z == z) << i;
              ASSERT_TRUE(w.block.x == bx && w.block.y == by && w.block.z == bz) << i;
              ASSERT_TRUE(w.block_dim[0] == block.x && w.block_dim[1] == block.y && w.block_dim[2] == block.z);
              ASSERT_TRUE(w.grid_dim[0] == grid.x && w.grid_dim[1] == grid.y && w.grid_dim[2] == grid.z);
            }
}

TEST(Index, OneDimension) { check(7, 33); }
TEST(Index, TwoDimensions) { check({3, 5}, {16, 7}); }
TEST(Index, ThreeDimensions) { check({2, 3, 4}, {5, 4, 3}); }
TEST(Index, OneThread) { check(1, 1); }
TEST(Index, LargestBlock) { check(2, 1024); }

// Each thread has its own copy of the arguments.
__global__ void scribble(int value, int* out) {
  const int before = value;
  value = -1;
  __syncthreads();
  out[threadIdx.x] = before + value;
}
TEST(Index, ArgumentsAreCopies) {
  Array<int> out(64);
  run({1}, 64, 0, scribble, 42, out.data());
  for (const int x : out.host()) EXPECT_EQ(x, 41);
}

__global__ void through_symbol(int* out);
__constant__ int table[4];
__global__ void through_symbol(int* out) { out[threadIdx.x] = table[threadIdx.x]; }
TEST(Index, ConstantsReachTheKernel) {
  const int values[4] = {3, 1, 4, 1};
  ASSERT_EQ(cudaMemcpyToSymbol(table, values, sizeof values), cudaSuccess);
  Array<int> out(4);
  run({1}, 4, 0, through_symbol, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(values, values + 4));
}

}  // namespace
}  // namespace cairn::emu_test
