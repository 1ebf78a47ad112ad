// The names that cuda::barrier had before: awbarrier, and functions on a word of shared memory.
#include <cuda_awbarrier.h>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

__global__ void old_names(int* out) {
  __shared__ nvcuda::experimental::awbarrier barrier;
  __shared__ __mbarrier_t plain;
  __shared__ int cells[64];
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    init(&barrier, 64);
    __mbarrier_init(&plain, 64);
  }
  __syncthreads();
  cells[t] = t;
  auto token = barrier.arrive();
  barrier.wait(token);
  const int other = cells[63 - t];
  const __mbarrier_token_t again = __mbarrier_arrive(&plain);
  while (!__mbarrier_test_wait(&plain, again)) {}
  cells[t] = other + 1;
  barrier.arrive_and_wait();
  out[t] = cells[t ^ 1];
  __syncthreads();
  if (t != 0) return;
  __mbarrier_inval(&plain);
  __mbarrier_init(&plain, 1);
}
TEST(CudaAwbarrier, IsABarrier) {
  const Array<int> out(64);
  run({1}, 64, 0, old_names, out.data());
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out.host()[static_cast<std::size_t>(t)], 64 - (t ^ 1));
}

}  // namespace
}  // namespace cairn::emu_test
