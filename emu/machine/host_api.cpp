// The runtime API except launches: device properties, memory, streams and events. Every call is synchronous, so a
// stream is a number and an event is the time at which it was recorded.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/host_errors.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/settings.hpp"
#include "emu/shadow/cuda_runtime_api.h"

struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point when{};
  bool recorded = false;
};

namespace {

using namespace cairn::emu;

cudaError_t answer(const cairn::Status& status) {
  switch (status.code()) {
    case cairn::Code::ok: return cudaSuccess;
    case cairn::Code::out_of_memory: return note(cudaErrorMemoryAllocation, status);
    case cairn::Code::device_error: return note(cudaErrorNotPermitted, status);  // after fork()
    default: return note(cudaErrorInvalidValue, status);
  }
}

// Synchronizing calls return the error of a failed launch until cudaGetLastError takes it.
cudaError_t waited() {
  return cudaPeekAtLastError() == cudaErrorLaunchFailure ? cudaErrorLaunchFailure : cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : note(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceSynchronize() { return waited(); }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 12080;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  const DeviceFacts facts = device_facts();
  cudaDeviceProp p{};
  std::strncpy(p.name, facts.name, sizeof p.name - 1);
  p.totalGlobalMem = facts.memory_bytes;
  p.sharedMemPerBlock = kSharedWithoutAsking;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = static_cast<int>(kWarp);
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = static_cast<int>(kMostThreads);
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.major = facts.arch / 10;
  p.minor = facts.arch % 10;
  p.multiProcessorCount = facts.sms;
  p.l2CacheSize = 50 << 20;
  p.maxThreadsPerMultiProcessor = static_cast<int>(kMostThreadsPerSm);
  p.sharedMemPerMultiprocessor = kSharedPerSm;
  p.sharedMemPerBlockOptin = facts.shared_bytes_per_block;
  p.maxBlocksPerMultiProcessor = static_cast<int>(kMostBlocksPerSm);
  p.reservedSharedMemPerBlock = kSharedReservedPerBlock;
  p.cooperativeLaunch = 1;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrClockRate: *value = 1000000; break;  // kHz: clock64 counts nanoseconds
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(p.reservedSharedMemPerBlock); break;
    default: return note(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return answer(allocate(bytes, pointer)); }
cudaError_t cudaFree(void* pointer) { return answer(release(pointer)); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(bytes > 0 ? bytes : 1);
  return *pointer != nullptr ? cudaSuccess : note(cudaErrorMemoryAllocation);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) { return cudaMallocHost(pointer, bytes); }
cudaError_t cudaFreeHost(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  *total = device_facts().memory_bytes;
  const std::size_t used = allocated_bytes();
  *available = used < *total ? *total - used : 0;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) {
    const bool to_device = is_device(to), from_device = is_device(from);
    kind = static_cast<cudaMemcpyKind>((to_device ? 1 : 0) + (from_device ? 2 : 0));
  }
  switch (kind) {
    case cudaMemcpyHostToDevice: return answer(copy_in(to, from, bytes));
    case cudaMemcpyDeviceToHost: return answer(copy_out(to, from, bytes));
    case cudaMemcpyDeviceToDevice: return answer(copy_within(to, from, bytes));
    case cudaMemcpyHostToHost: std::memmove(to, from, bytes); return cudaSuccess;
    default: return note(cudaErrorInvalidValue);
  }
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return answer(fill(pointer, static_cast<unsigned char>(value), bytes));
}
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(pointer, value, bytes);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return waited(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return waited(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return note(cudaErrorInvalidResourceHandle);
  event->when = std::chrono::steady_clock::now();
  event->recorded = true;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return waited(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return waited(); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (start == nullptr || end == nullptr || !start->recorded || !end->recorded) {
    return note(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
  return cudaSuccess;
}
