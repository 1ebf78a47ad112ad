// The runtime API: bounds of device memory, launch limits, and errors that are kept until they are taken.
#include <cmath>
#include <string>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Every test begins with no error pending.
class Host : public testing::Test {
 protected:
  void SetUp() override {
    (void)cudaGetLastError();
    (void)emu::take_failure();
  }
  void TearDown() override { SetUp(); }
};

TEST_F(Host, FreshMemoryIsNotANumber) {
  void* p = nullptr;
  ASSERT_TRUE(emu::allocate(1000, &p).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
  float values[250];
  ASSERT_TRUE(emu::copy_out(values, p, 1000).ok());
  for (const float x : values) EXPECT_TRUE(std::isnan(x));
  EXPECT_TRUE(emu::release(p).ok());
}

TEST_F(Host, CopiesStayWithinBounds) {
  void* p = nullptr;
  ASSERT_TRUE(emu::allocate(100, &p).ok());
  char host[200] = {};
  EXPECT_TRUE(emu::copy_in(p, host, 100).ok());
  EXPECT_TRUE(emu::copy_in(static_cast<char*>(p) + 60, host, 40).ok());
  EXPECT_TRUE(emu::copy_in(p, host, 0).ok());

  const Status beyond = emu::copy_in(static_cast<char*>(p) + 60, host, 41);
  EXPECT_EQ(beyond.code(), Code::invalid_argument);
  EXPECT_TRUE(says(beyond.message(), "41 bytes from byte 60 of a device allocation of 100")) << beyond.message();
  EXPECT_FALSE(emu::copy_out(host, p, 101).ok());
  EXPECT_FALSE(emu::fill(p, 0, 101).ok());
  EXPECT_FALSE(emu::copy_out(host, host + 100, 8).ok()) << "host memory taken for device memory";
  EXPECT_FALSE(emu::copy_in(static_cast<char*>(p) - 1, host, 1).ok());
  EXPECT_TRUE(emu::release(p).ok());
  EXPECT_FALSE(emu::copy_out(host, p, 1).ok()) << "freed memory read";
}

TEST_F(Host, FreesOnce) {
  void* p = nullptr;
  ASSERT_TRUE(emu::allocate(64, &p).ok());
  EXPECT_FALSE(emu::release(static_cast<char*>(p) + 8).ok());
  EXPECT_TRUE(emu::release(p).ok());
  EXPECT_FALSE(emu::release(p).ok());
  EXPECT_TRUE(emu::release(nullptr).ok());
  EXPECT_TRUE(says(emu::take_failure().message(), "which no live device allocation starts at"));
  EXPECT_TRUE(emu::take_failure().ok()) << "a failure is told once";
}

__global__ void write_at(int* p, int i) { p[i] = 1; }
TEST_F(Host, AWriteJustOutsideIsSeenWhenMemoryIsFreed) {
  for (const int i : {-1, 10, 40}) {
    int* p = nullptr;
    ASSERT_EQ(cudaMalloc(&p, 40), cudaSuccess);
    run({1}, 1, 0, write_at, p, i);
    EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
    EXPECT_TRUE(says(emu::take_failure().message(), i < 0 ? "wrote before the start" : "wrote past the end"));
  }
}

TEST_F(Host, CopiesOfEveryKind) {
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  int *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, sizeof host), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, sizeof host), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(a, host, sizeof host, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDeviceToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemset(b, 0, sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, b, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(back[0] == 0 && back[1] == 2 && back[3] == 4);
  EXPECT_EQ(cudaMemcpy(a, host, sizeof host + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

__global__ void with_dynamic(int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  out[threadIdx.x] = words[threadIdx.x];
}
__global__ void with_static(int* out) {
  __shared__ int words[4096];  // 16 KiB
  words[threadIdx.x] = 1;
  out[threadIdx.x] = words[threadIdx.x];
}
TEST_F(Host, SharedMemoryBeyondTheDefaultMustBeAskedFor) {
  const Array<int> out(32);
  EXPECT_TRUE(launch({1}, 32, 48 * 1024, nullptr, with_dynamic, out.data()).ok());
  cudaLaunchConfig_t config{};  // launch() would ask for it
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = 48 * 1024 + 4;
  const cudaError_t refused = cudaLaunchKernelEx(&config, with_dynamic, out.data());
  EXPECT_EQ(refused, cudaErrorInvalidValue);
  EXPECT_TRUE(says(cudaGetErrorString(cudaGetLastError()), "may have 49152"));
  EXPECT_TRUE(launch({1}, 32, 48 * 1024 + 4, nullptr, with_dynamic, out.data()).ok());

  const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(with_dynamic, most, 227 * 1024 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(with_dynamic, most, 227 * 1024), cudaSuccess);
  EXPECT_TRUE(launch({1}, 32, 227 * 1024, nullptr, with_dynamic, out.data()).ok());
  // The static part counts too.
  EXPECT_FALSE(launch({1}, 32, 33 * 1024, nullptr, with_static, out.data()).ok());
  EXPECT_EQ(cudaFuncSetAttribute(with_static, most, 212 * 1024), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(with_static, most, 211 * 1024), cudaSuccess);
  EXPECT_TRUE(launch({1}, 32, 100 * 1024, nullptr, with_static, out.data()).ok());
  cudaFuncAttributes facts;
  EXPECT_EQ(cudaFuncGetAttributes(&facts, with_static), cudaSuccess);
  EXPECT_EQ(facts.sharedSizeBytes, 16384u);
}

TEST_F(Host, BlocksAndGridsHaveLimits) {
  const Array<int> out(32);
  EXPECT_TRUE(launch({0, 5, 5}, 32, 0, nullptr, with_static, out.data()).ok()) << "an empty grid is nothing to do";
  for (const dim3 block : {dim3(0), dim3(1025), dim3(1, 1, 65), dim3(64, 64)}) {
    const Status status = launch({1}, block, 0, nullptr, with_static, out.data());
    EXPECT_TRUE(says(status.message(), "cudaErrorInvalidConfiguration")) << status.message();
  }
}

TEST_F(Host, OccupancyFollowsThreadsAndSharedMemory) {
  const auto blocks = [](auto kernel, int threads, std::size_t dynamic) {
    int n = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, dynamic), cudaSuccess);
    return n;
  };
  EXPECT_EQ(blocks(with_dynamic, 1024, 0), 2);
  EXPECT_EQ(blocks(with_dynamic, 256, 0), 8);
  EXPECT_EQ(blocks(with_dynamic, 32, 0), 32);
  EXPECT_EQ(blocks(with_dynamic, 128, 100 * 1024), 2);
  EXPECT_EQ(blocks(with_static, 32, 0), 13);
}

TEST_F(Host, TheDeviceSaysWhatItWasTold) {
  emu::configure({.seed = 0, .threads = 0, .sms = 17});
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  int sms = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_TRUE(p.multiProcessorCount == 17 && sms == 17 && p.major == 9 && p.minor == 0);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 227u * 1024);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  emu::configure({});
}

__global__ void bad(int how) {
  if (threadIdx.x != 5) return;
  if (how == 0) __trap();
  if (how == 1) assert(threadIdx.x < 5);
  if (how == 2) throw std::runtime_error("no such thing on a GPU");
}
TEST_F(Host, AKernelThatFailsIsAnErrorAndTheNextOneRuns) {
  const char* expected[] = {
      "__trap at tests/emu/host_api_test.cu:", "assertion `threadIdx.x < 5' failed at tests/emu/",
      "threw an exception: no such thing on a GPU"};
  const Array<int> out(32);
  for (int how = 0; how < 3; ++how) {
    cudaLaunchConfig_t config{};
    config.gridDim = 3;
    config.blockDim = 32;
    const cudaError_t error = how == 1 ? cudaErrorAssert : cudaErrorLaunchFailure;
    EXPECT_EQ(cudaLaunchKernelEx(&config, bad, how), error);
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    const std::string text = cudaGetErrorString(cudaPeekAtLastError());
    EXPECT_TRUE(says(text, how == 1 ? "device-side assert triggered: " : "unspecified launch failure: ")) << text;
    EXPECT_TRUE(says(text, ": kernel cairn::emu_test::(anonymous namespace)::bad, block (")) << text;
    EXPECT_TRUE(says(text, expected[how])) << text;
    EXPECT_EQ(cudaGetLastError(), error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_TRUE(emu::take_failure().ok()) << "told already";
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    run({3}, 32, 0, with_static, out.data());
  }
  EXPECT_EQ(out.host(), std::vector<int>(32, 1));
}

TEST_F(Host, EventsTellTime) {
  cudaStream_t stream;
  cudaEvent_t a, b;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&a), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&b), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(a, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(b, stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaSuccess);
  EXPECT_GE(ms, 0.0f);
  EXPECT_EQ(cudaEventDestroy(a), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(b), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace cairn::emu_test
