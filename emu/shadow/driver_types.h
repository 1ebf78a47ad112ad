// The types and enumerations of the runtime API that a small program needs, with CUDA's values.
#pragma once

#include <cstddef>

#include "emu/shadow/emu_device_types.h"
#include "emu/shadow/emu_errors.h"
#include "emu/shadow/emu_toolkit.h"
#include "emu/shadow/vector_types.h"

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes = 0;  // static
  std::size_t constSizeBytes = 0, localSizeBytes = 0;
  int maxThreadsPerBlock = 0;
  int numRegs = 0;  // not known
  int ptxVersion = 0, binaryVersion = 0;
  int cacheModeCA = 0;
  int maxDynamicSharedSizeBytes = 0;
  int preferredShmemCarveout = -1;
};

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePreferredSharedMemoryCarveout = 14
};
enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  std::size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
union cudaLaunchAttributeValue {
  cudaAccessPolicyWindow accessPolicyWindow;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int cooperative;
  int programmaticStreamSerializationAllowed;
  unsigned sharedMemCarveout;
  char pad[64];
};
using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
inline constexpr cudaStreamAttrID cudaStreamAttributeAccessPolicyWindow = cudaLaunchAttributeAccessPolicyWindow;
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 grid, block;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;

  // `config.gridDim` and `config.blockDim`, as the macros of emu_index.h spell them.
  dim3& cairn_grid_dim() { return grid; }
  dim3& cairn_block_dim() { return block; }
};

inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocDefault = 0;

inline constexpr unsigned cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;
inline constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
inline constexpr unsigned cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8;
inline constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
inline constexpr unsigned cudaEventInterprocess = 4, cudaEventRecordDefault = 0, cudaEventRecordExternal = 1;
inline constexpr unsigned cudaEventWaitDefault = 0, cudaEventWaitExternal = 1;
inline constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2;
inline constexpr unsigned cudaDeviceScheduleBlockingSync = 4, cudaDeviceScheduleMask = 7, cudaDeviceMapHost = 8;
inline constexpr unsigned cudaDeviceBlockingSync = 4, cudaDeviceLmemResizeToMax = 16, cudaDeviceMask = 0xff;
inline constexpr unsigned cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1;
inline constexpr unsigned cudaPeerAccessDefault = 0;

// Macros, because a constant expression cannot make a pointer of a number; the default stream is null.
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* data);
using cudaHostFn_t = void (*)(void* data);

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};

enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4
};

using cudaMemPool_t = struct CUmemPoolHandle_st*;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8
};
