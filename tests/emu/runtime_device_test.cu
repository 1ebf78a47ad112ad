// The runtime API's device, streams, events and errors.
#include <cstring>
#include <string>

#include <cuda_profiler_api.h>

#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

class Runtime : public testing::Test {
 protected:
  void SetUp() override { (void)cudaGetLastError(); }
  void TearDown() override { SetUp(); }
};

TEST_F(Runtime, AttributesAreThePropertiesOfSm90) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_TRUE(p.totalConstMem == 65536 && p.memPitch == 0x7fffffff && p.maxThreadsDim[2] == 64);
  EXPECT_TRUE(p.canMapHostMemory == 1 && p.unifiedAddressing == 1 && p.managedMemory == 1 && p.integrated == 0);
  EXPECT_TRUE(p.computeMode == cudaComputeModeDefault && p.asyncEngineCount > 0 && p.ECCEnabled == 1);
  EXPECT_TRUE(p.memoryBusWidth > 0 && p.memoryClockRate > 0 && p.textureAlignment == 512);
  const struct {
    cudaDeviceAttr attribute;
    int number, want;
  } cases[] = {
      {cudaDevAttrMaxBlockDimZ, 4, 64},
      {cudaDevAttrMaxGridDimX, 5, 0x7fffffff},
      {cudaDevAttrTotalConstantMemory, 9, 65536},
      {cudaDevAttrMaxRegistersPerBlock, 12, 65536},
      {cudaDevAttrComputeMode, 20, 0},
      {cudaDevAttrConcurrentKernels, 31, 1},
      {cudaDevAttrMemoryClockRate, 36, p.memoryClockRate},
      {cudaDevAttrGlobalMemoryBusWidth, 37, p.memoryBusWidth},
      {cudaDevAttrComputeCapabilityMajor, 75, 9},
      {cudaDevAttrManagedMemory, 83, 1},
      {cudaDevAttrConcurrentManagedAccess, 89, 1},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, 227 * 1024},
      {cudaDevAttrClusterLaunch, 120, 1},
  };
  for (const auto& c : cases) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, c.attribute, 0), cudaSuccess);
    EXPECT_EQ(value, c.want) << "attribute " << c.number;
    EXPECT_EQ(static_cast<int>(c.attribute), c.number);
  }
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
}

TEST_F(Runtime, ThereIsOneDevice) {
  int device = -1, can = -1;
  cudaDeviceProp wanted{};
  EXPECT_TRUE(cudaChooseDevice(&device, &wanted) == cudaSuccess && device == 0);
  EXPECT_TRUE(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
  EXPECT_NE(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  char text[32] = {};
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, sizeof text, 0), cudaSuccess);
  EXPECT_STREQ(text, "0000:01:00.0");
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, 12, 0), cudaErrorInvalidValue) << "no room for the final 0";
  device = -1;
  EXPECT_TRUE(cudaDeviceGetByPCIBusId(&device, "0000:01:00.0") == cudaSuccess && device == 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "0000:02:00.0"), cudaErrorInvalidDevice);
  EXPECT_TRUE(cudaProfilerStart() == cudaSuccess && cudaProfilerStop() == cudaSuccess);
}

TEST_F(Runtime, WhatIsSetIsReadBack) {
  unsigned flags = 0;
  std::size_t bytes = 0;
  cudaFuncCache config{};
  EXPECT_TRUE(cudaSetDeviceFlags(cudaDeviceScheduleSpin) == cudaSuccess && cudaGetDeviceFlags(&flags) == cudaSuccess);
  EXPECT_EQ(flags, 1u);
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceMapHost), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 123456), cudaSuccess);
  EXPECT_TRUE(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize) == cudaSuccess && bytes == 123456);
  EXPECT_EQ(cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(99)), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
  EXPECT_TRUE(cudaDeviceGetCacheConfig(&config) == cudaSuccess && config == cudaFuncCachePreferL1);
  int least = 1, greatest = 1, priority = 1;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_TRUE(least == 0 && greatest == -5);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9), cudaSuccess);
  EXPECT_TRUE(cudaStreamGetPriority(stream, &priority) == cudaSuccess && priority == -5) << "clamped";
  EXPECT_TRUE(cudaStreamGetFlags(stream, &flags) == cudaSuccess && flags == cudaStreamNonBlocking);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  EXPECT_EQ(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &window), cudaSuccess);
  EXPECT_EQ(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
}

__global__ void set(int* out) { *out = 3; }
TEST_F(Runtime, CallbacksRunAfterWhatIsBeforeThem) {
  struct Seen {
    int* value;
    int by_callback = 0, by_function = 0;
    cudaStream_t stream = nullptr;
  } seen{};
  ASSERT_EQ(cudaMallocManaged(&seen.value, sizeof(int)), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  run({1}, 1, 0, set, seen.value);
  const auto callback = [](cudaStream_t on, cudaError_t status, void* data) {
    auto* s = static_cast<Seen*>(data);
    if (status == cudaSuccess) s->by_callback = *s->value;
    s->stream = on;
  };
  EXPECT_EQ(cudaStreamAddCallback(stream, callback, &seen, 0), cudaSuccess);
  const auto function = [](void* data) { static_cast<Seen*>(data)->by_function = *static_cast<Seen*>(data)->value; };
  EXPECT_EQ(cudaLaunchHostFunc(cudaStreamLegacy, function, &seen), cudaSuccess);
  EXPECT_TRUE(seen.by_callback == 3 && seen.by_function == 3 && seen.stream == stream);
  EXPECT_EQ(cudaStreamAddCallback(stream, callback, &seen, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(seen.value), cudaSuccess);
}

TEST_F(Runtime, AnEventWithoutTimingHasNoTime) {
  cudaEvent_t timed = nullptr, not_timed = nullptr;
  ASSERT_EQ(cudaEventCreate(&timed, cudaEventBlockingSync), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&not_timed, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(timed, nullptr, cudaEventRecordDefault), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(not_timed), cudaSuccess);
  float ms = -1;
  EXPECT_TRUE(cudaEventElapsedTime(&ms, timed, timed) == cudaSuccess && ms == 0);
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, not_timed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(timed), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(not_timed), cudaSuccess);
}

TEST_F(Runtime, ErrorsHaveCudasNumbersNamesAndTexts) {
  const struct {
    cudaError_t error;
    int number;
    const char *name, *text;
  } cases[] = {
      {cudaErrorInvalidDevicePointer, 17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
      {cudaErrorNoDevice, 100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
      {cudaErrorInvalidSymbol, 13, "cudaErrorInvalidSymbol", "invalid device symbol"},
      {cudaErrorLaunchOutOfResources, 701, "cudaErrorLaunchOutOfResources",
       "too many resources requested for launch"},
      {cudaErrorIllegalAddress, 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
      {cudaErrorCooperativeLaunchTooLarge, 720, "cudaErrorCooperativeLaunchTooLarge",
       "too many blocks in cooperative launch"},
      {cudaErrorInvalidClusterSize, 912, "cudaErrorInvalidClusterSize",
       "a kernel launch error has occurred due to cluster misconfiguration"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(static_cast<int>(c.error), c.number);
    EXPECT_STREQ(cudaGetErrorName(c.error), c.name);
    EXPECT_STREQ(cudaGetErrorString(c.error), c.text);
  }
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

__global__ void light(int* out) { out[threadIdx.x] = 1; }
__global__ void heavy(int* out) {
  __shared__ int words[10240];  // 40 KiB: five blocks on an SM
  words[threadIdx.x] = 1;
  out[threadIdx.x] = words[threadIdx.x];
}
TEST_F(Runtime, TheBestBlockFillsAnSm) {
  emu::configure({.seed = 0, .threads = 0, .sms = 10});
  int blocks = 0, threads = 0;
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, light), cudaSuccess);
  EXPECT_TRUE(threads == 1024 && blocks == 20) << threads << " " << blocks;
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, light, 0, 700), cudaSuccess);
  EXPECT_TRUE(threads == 512 && blocks == 40) << threads << " " << blocks;  // 3 of 672 would be 2016 threads
  // 100 bytes a thread: 227 KiB allow 2048 threads in two blocks of 1024.
  const auto shared_of = [](int n) { return 100 * n; };
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, light, shared_of), cudaSuccess);
  EXPECT_TRUE(threads == 1024 && blocks == 20) << threads << " " << blocks;
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, heavy, 120 * 1024), cudaSuccess);
  EXPECT_TRUE(threads == 1024 && blocks == 10) << threads << " " << blocks;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, heavy, 64, 0, cudaOccupancyDefault),
            cudaSuccess);
  EXPECT_EQ(blocks, 5);
  EXPECT_EQ(cudaFuncSetCacheConfig(heavy, cudaFuncCachePreferShared), cudaSuccess);
  cudaFuncAttributes facts;
  EXPECT_EQ(cudaFuncGetAttributes(&facts, reinterpret_cast<const void*>(heavy)), cudaSuccess);
  EXPECT_TRUE(facts.sharedSizeBytes == 40960 && facts.maxThreadsPerBlock == 1024);
  emu::configure({});
}

}  // namespace
}  // namespace cairn::emu_test
