// The runtime API's calls about the device: its properties, limits, flags and peers. There is one device.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "emu/machine/host_errors.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/settings.hpp"
#include "emu/shadow/cuda_profiler_api.h"
#include "emu/shadow/cuda_runtime_api.h"

namespace {

using namespace cairn::emu;

constexpr const char* kPciBusId = "0000:01:00.0";

// What a program sets and reads back. Nothing here depends on it.
std::atomic<unsigned> device_flags{cudaDeviceMapHost};
std::atomic<cudaFuncCache> cache_config{cudaFuncCachePreferNone};
std::array<std::atomic<std::size_t>, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};  // by cudaLimit

void describe_textures(cudaDeviceProp& p) {
  p.maxTexture1D = p.maxTexture2D[0] = 131072;
  p.maxTexture2D[1] = 65536;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 16384;
  p.maxTexture1DLinear = 268435456;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
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
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaSetValidDevices(int* devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return note(cudaErrorInvalidDevice);
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
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
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = static_cast<int>(kMostThreads);
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = 1000000;  // kHz: clock64 counts nanoseconds
  p.totalConstMem = 64 * 1024;
  p.major = facts.arch / 10;
  p.minor = facts.arch % 10;
  p.multiProcessorCount = facts.sms;
  p.deviceOverlap = 1;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.memoryPoolsSupported = p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = p.concurrentKernels = p.streamPrioritiesSupported = p.computePreemptionSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.computeMode = cudaComputeModeDefault;
  p.ECCEnabled = 1;
  p.pciBusID = 1;
  p.asyncEngineCount = 3;
  p.memoryClockRate = 2619000;  // kHz, of an H100, as the width in bits
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 50 << 20;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.maxThreadsPerMultiProcessor = static_cast<int>(kMostThreadsPerSm);
  p.sharedMemPerMultiprocessor = kSharedPerSm;
  p.sharedMemPerBlockOptin = facts.shared_bytes_per_block;
  p.maxBlocksPerMultiProcessor = static_cast<int>(kMostBlocksPerSm);
  p.reservedSharedMemPerBlock = kSharedReservedPerBlock;
  p.clusterLaunch = 1;
  describe_textures(p);
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxPitch: *value = static_cast<int>(p.memPitch); break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrTextureAlignment: *value = static_cast<int>(p.textureAlignment); break;
    case cudaDevAttrGpuOverlap: *value = p.deviceOverlap; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrKernelExecTimeout: *value = p.kernelExecTimeoutEnabled; break;
    case cudaDevAttrIntegrated: *value = p.integrated; break;
    case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
    case cudaDevAttrComputeMode: *value = p.computeMode; break;
    case cudaDevAttrMaxTexture1DWidth: *value = p.maxTexture1D; break;
    case cudaDevAttrMaxTexture2DWidth: *value = p.maxTexture2D[0]; break;
    case cudaDevAttrMaxTexture2DHeight: *value = p.maxTexture2D[1]; break;
    case cudaDevAttrMaxTexture3DWidth: *value = p.maxTexture3D[0]; break;
    case cudaDevAttrMaxTexture3DHeight: *value = p.maxTexture3D[1]; break;
    case cudaDevAttrMaxTexture3DDepth: *value = p.maxTexture3D[2]; break;
    case cudaDevAttrMaxTexture2DLayeredWidth: *value = p.maxTexture2DLayered[0]; break;
    case cudaDevAttrMaxTexture2DLayeredHeight: *value = p.maxTexture2DLayered[1]; break;
    case cudaDevAttrMaxTexture2DLayeredLayers: *value = p.maxTexture2DLayered[2]; break;
    case cudaDevAttrSurfaceAlignment: *value = static_cast<int>(p.surfaceAlignment); break;
    case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
    case cudaDevAttrEccEnabled: *value = p.ECCEnabled; break;
    case cudaDevAttrPciBusId: *value = p.pciBusID; break;
    case cudaDevAttrPciDeviceId: *value = p.pciDeviceID; break;
    case cudaDevAttrTccDriver: *value = p.tccDriver; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
    case cudaDevAttrMaxTexture1DLayeredWidth: *value = p.maxTexture1DLayered[0]; break;
    case cudaDevAttrMaxTexture1DLayeredLayers: *value = p.maxTexture1DLayered[1]; break;
    case cudaDevAttrPciDomainId: *value = p.pciDomainID; break;
    case cudaDevAttrTexturePitchAlignment: *value = static_cast<int>(p.texturePitchAlignment); break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = p.streamPrioritiesSupported; break;
    case cudaDevAttrGlobalL1CacheSupported: *value = p.globalL1CacheSupported; break;
    case cudaDevAttrLocalL1CacheSupported: *value = p.localL1CacheSupported; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
    case cudaDevAttrIsMultiGpuBoard: *value = p.isMultiGpuBoard; break;
    case cudaDevAttrMultiGpuBoardGroupID: *value = p.multiGpuBoardGroupID; break;
    case cudaDevAttrHostNativeAtomicSupported: *value = p.hostNativeAtomicSupported; break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = p.singleToDoublePrecisionPerfRatio; break;
    case cudaDevAttrPageableMemoryAccess: *value = p.pageableMemoryAccess; break;
    case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
    case cudaDevAttrComputePreemptionSupported: *value = p.computePreemptionSupported; break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: *value = p.canUseHostPointerForRegisteredMem; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrCooperativeMultiDeviceLaunch: *value = p.cooperativeMultiDeviceLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrHostRegisterSupported: *value = p.hostRegisterSupported; break;
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables: *value = p.pageableMemoryAccessUsesHostPageTables; break;
    case cudaDevAttrDirectManagedMemAccessFromHost: *value = p.directManagedMemAccessFromHost; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxPersistingL2CacheSize: *value = p.persistingL2CacheMaxSize; break;
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = p.accessPolicyMaxWindowSize; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(p.reservedSharedMemPerBlock); break;
    case cudaDevAttrSparseCudaArraySupported: *value = p.sparseCudaArraySupported; break;
    case cudaDevAttrHostRegisterReadOnlySupported: *value = p.hostRegisterReadOnlySupported; break;
    case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
    case cudaDevAttrGPUDirectRDMASupported: *value = p.gpuDirectRDMASupported; break;
    case cudaDevAttrClusterLaunch: *value = p.clusterLaunch; break;
    default: return note(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = device_flags;
  return cudaSuccess;
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  cache_config = config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cache_config;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }  // sm_90 has one
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (static_cast<std::size_t>(limit) >= limits.size()) return note(cudaErrorUnsupportedLimit);
  limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (static_cast<std::size_t>(limit) >= limits.size()) return note(cudaErrorUnsupportedLimit);
  *value = limits[limit];
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (device != 0 || peer != 0) return note(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return note(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return note(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) { return note(cudaErrorInvalidDevice); }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  if (text == nullptr || size <= static_cast<int>(std::strlen(kPciBusId))) return note(cudaErrorInvalidValue);
  std::snprintf(text, static_cast<std::size_t>(size), "%s", kPciBusId);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (std::strcmp(text, kPciBusId) != 0) return note(cudaErrorInvalidDevice);
  return cudaGetDevice(device);
}

// There is no profiler.
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
