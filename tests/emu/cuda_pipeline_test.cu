// Pipelines: a thread's own, which is cp.async and its groups, and those that threads share.
#include <cooperative_groups.h>
#include <numeric>
#include <string>

#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "emu/machine/errors.hpp"
#include "tests/emu/support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

constexpr unsigned kPoison = 0xffffffffu;

std::vector<unsigned> ascending(std::size_t size) {
  std::vector<unsigned> values(size);
  std::iota(values.begin(), values.end(), 100u);
  return values;
}

__global__ void primitives(const unsigned* in, unsigned* out) {
  alignas(16) __shared__ unsigned words[12];
  __pipeline_memcpy_async(words, in, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(words + 4, in + 4, 16, 8);
  __pipeline_commit();
  __pipeline_memcpy_async(words + 8, in + 8, 8);
  __pipeline_memcpy_async(words + 10, in + 10, 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  for (int i = 0; i < 12; ++i) out[i] = words[i];
  __pipeline_wait_prior(0);
  for (int i = 8; i < 11; ++i) out[i + 4] = words[i];
}
TEST(CudaPipeline, PrimitivesAreGroupsOfCopies) {
  const Array<unsigned> in(ascending(12)), out(15);
  run({1}, 1, 0, primitives, in.data(), out.data());
  EXPECT_EQ(out.host(), (std::vector<unsigned>{100, 101, 102, 103, 104, 105, 0, 0, kPoison, kPoison, kPoison, kPoison,
                                               108, 109, 110}));
}

__global__ void old_pipeline(const unsigned* in, unsigned* out) {
  __shared__ unsigned a, b;
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(a, in[0], pipe);
  const std::size_t first = pipe.commit();
  nvcuda::experimental::memcpy_async(b, in[1], pipe);
  pipe.commit();
  pipe.wait(first);
  out[0] = a, out[1] = b;
  pipe.wait_prior<0>();
  out[2] = b;
}
TEST(CudaPipeline, TheOldOneWaitsForBatches) {
  const Array<unsigned> in(ascending(2)), out(3);
  run({1}, 1, 0, old_pipeline, in.data(), out.data());
  EXPECT_EQ(out.host(), (std::vector<unsigned>{100, kPoison, 101}));
}

// Three stages of a thread's own pipeline. `prior`: CUDA's samples wait by pipeline_consumer_wait_prior.
template <bool prior> __global__ void own_stages(const unsigned* in, int tiles, unsigned* out) {
  constexpr int kStages = 3;
  __shared__ unsigned words[kStages][64];
  const cg::thread_block block = cg::this_thread_block();
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int t = static_cast<int>(threadIdx.x);
  int fetched = 0;
  unsigned sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (; fetched < tile + kStages - 1; ++fetched) {
      pipe.producer_acquire();
      if (fetched < tiles) {
        constexpr auto size = cuda::aligned_size_t<alignof(unsigned)>(sizeof(unsigned));
        cuda::memcpy_async(&words[fetched % kStages][t], in + fetched * 64 + t, size, pipe);
      }
      pipe.producer_commit();
    }
    if (prior)
      cuda::pipeline_consumer_wait_prior<kStages - 2>(pipe);
    else
      pipe.consumer_wait();
    block.sync();
    sum = 3 * sum + words[tile % kStages][63 - t];
    if (tile % 3 == 0) pipe.consumer_release();  // CUDA's samples leave it out
    block.sync();
  }
  out[t] = sum;
}
TEST(CudaPipeline, AThreadHasStagesOfItsOwn) {
  for (const int tiles : {1, 2, 3, 8}) {
    const std::vector<unsigned> values = ascending(64 * 8);
    for (const bool prior : {false, true}) {
      const Array<unsigned> in(values), out(64);
      run({2}, 64, 0, prior ? own_stages<true> : own_stages<false>, in.data(), tiles, out.data());
      for (std::size_t t = 0; t < 64; ++t) {
        unsigned sum = 0;
        for (std::size_t tile = 0; tile < static_cast<std::size_t>(tiles); ++tile)
          sum = 3 * sum + values[tile * 64 + 63 - t];
        EXPECT_EQ(out.host()[t], sum) << tiles << " " << prior << " " << t;
      }
    }
  }
}

__global__ void own_too_early(const unsigned* in, unsigned* out) {
  __shared__ unsigned words[2];
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < 2; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(words + i, in + i, sizeof(unsigned), pipe);
    pipe.producer_commit();
  }
  out[0] = words[0];
  pipe.consumer_wait();
  out[1] = words[0], out[2] = words[1];
  pipe.consumer_release();
  pipe.consumer_wait();
  out[3] = words[1];
}
TEST(CudaPipeline, AWaitIsForTheOldestStage) {
  const Array<unsigned> in(ascending(2)), out(4);
  run({1}, 1, 0, own_too_early, in.data(), out.data());
  EXPECT_EQ(out.host(), (std::vector<unsigned>{kPoison, 100, kPoison, 101}));
}

// Shared by the block: all threads do both, the first 32 produce, or every second thread does. Then a pipeline of
// another kind with the same state.
enum class Roles { all, first, even };
constexpr int kWords = 96;
template <Roles roles> __global__ void shared_stages(const unsigned* in, int tiles, unsigned* out) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, kStages> state;
  alignas(16) __shared__ unsigned words[kStages][kWords];
  const cg::thread_block block = cg::this_thread_block();
  const int t = static_cast<int>(threadIdx.x);
  const bool produces = roles == Roles::all || (roles == Roles::first ? t < 32 : t % 2 == 0);
  const bool consumes = roles == Roles::all || !produces;
  unsigned sum = 0;
  {
    auto pipe = [&] {
      if constexpr (roles == Roles::all)
        return cuda::make_pipeline(block, &state);
      else if constexpr (roles == Roles::first)
        return cuda::make_pipeline(block, &state, std::size_t{32});
      else
        return cuda::make_pipeline(block, &state,
                                   produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    }();
    const auto produce = [&](int tile) {
      pipe.producer_acquire();
      if constexpr (roles == Roles::all)
        cuda::memcpy_async(block, words[tile % kStages], in + tile * kWords, sizeof words[0], pipe);
      else if (t == 0)
        cuda::memcpy_async(words[tile % kStages], in + tile * kWords, cuda::aligned_size_t<16>(sizeof words[0]),
                           pipe);
      pipe.producer_commit();
    };
    const auto consume = [&](int tile) {
      pipe.consumer_wait();
      for (const unsigned word : words[tile % kStages]) sum = 3 * sum + word;
      pipe.consumer_release();
    };
    if constexpr (roles == Roles::all) {
      for (int tile = 0, fetched = 0; tile < tiles; ++tile) {
        for (; fetched < tiles && fetched < tile + kStages; ++fetched) produce(fetched);
        consume(tile);
      }
    } else {
      for (int tile = 0; produces && tile < tiles; ++tile) produce(tile);
      for (int tile = 0; consumes && tile < tiles; ++tile) consume(tile);
    }
  }
  block.sync();
  auto again = cuda::make_pipeline(block, &state);
  again.producer_acquire();
  cuda::memcpy_async(block, words[0], in, sizeof words[0], again);
  again.producer_commit();
  again.consumer_wait();
  if (!consumes) sum = words[0][t];
  again.consumer_release();
  out[t] = sum;
}
template <Roles roles> void expect_stages() {
  const std::vector<unsigned> values = ascending(kWords * 7);
  for (const int tiles : {1, 2, 3, 7}) {
    const Array<unsigned> in(values), out(64);
    run({2}, 64, 0, shared_stages<roles>, in.data(), tiles, out.data());
    unsigned sum = 0;
    for (int i = 0; i < tiles * kWords; ++i) sum = 3 * sum + values[static_cast<std::size_t>(i)];
    for (unsigned t = 0; t < 64; ++t) {
      const bool consumes = roles == Roles::all || (roles == Roles::first ? t >= 32 : t % 2 == 1);
      EXPECT_EQ(out.host()[t], consumes ? sum : values[t]) << tiles << ": " << t;
    }
  }
}
TEST(CudaPipeline, AllThreadsProduceAndConsume) { expect_stages<Roles::all>(); }
TEST(CudaPipeline, TheFirstThreadsProduce) { expect_stages<Roles::first>(); }
TEST(CudaPipeline, EachThreadHasItsRole) { expect_stages<Roles::even>(); }

__global__ void shared_too_early(const unsigned* in, unsigned* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ unsigned word;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  pipe.producer_acquire();
  cuda::memcpy_async(&word, in, sizeof word, pipe);
  pipe.producer_commit();
  out[0] = word;
  pipe.consumer_wait();
  out[1] = word;
  pipe.consumer_release();
}
TEST(CudaPipeline, WithoutAWaitNothingArrives) {
  const Array<unsigned> in(ascending(1)), out(2);
  run({1}, 1, 0, shared_too_early, in.data(), out.data());
  EXPECT_EQ(out.host(), (std::vector<unsigned>{kPoison, 100}));
}

// A stage more than the consumers release.
__global__ void never_released(const unsigned* in) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ unsigned words[2];
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, std::size_t{32});
  if (threadIdx.x >= 32) return pipe.consumer_wait();
  for (int tile = 0; tile < 3; ++tile) {
    pipe.producer_acquire();
    if (threadIdx.x == 0) cuda::memcpy_async(words + tile % 2, in, sizeof(unsigned), pipe);
    pipe.producer_commit();
  }
}
TEST(CudaPipeline, AStageThatIsNeverReleasedIsADeadlock) {
  const Array<unsigned> in(ascending(1));
  const Status status = launch({1}, 64, 0, nullptr, never_released, in.data());
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_TRUE(emu::take_failure().ok());
  for (const char* part :
       {"deadlock, none of its 64 threads", "threads 0-31: waiting at pipeline.producer_acquire",
        "cuda_pipeline_test.cu:", "never_released(unsigned int const*)::state, parity 0 (32 arrivals are missing)"})
    EXPECT_NE(status.message().find(part), std::string::npos) << part << " not in\n" << status.message();
}

}  // namespace
}  // namespace cairn::emu_test
