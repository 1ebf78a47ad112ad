// The runtime API's calls about memory: allocations, copies and fills, which are done when the call returns.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/host_errors.hpp"
#include "emu/machine/settings.hpp"
#include "emu/shadow/cuda_runtime_api.h"

struct CUmemPoolHandle_st {
  std::atomic<std::uint64_t> release_threshold{0};
};

namespace {

using namespace cairn::emu;

CUmemPoolHandle_st the_pool;

constexpr std::size_t kPitch = 512;  // rows of cudaMallocPitch begin at multiples of this

cudaError_t answer(const cairn::Status& status) {
  switch (status.code()) {
    case cairn::Code::ok: return cudaSuccess;
    case cairn::Code::out_of_memory: return note(cudaErrorMemoryAllocation, status);
    case cairn::Code::device_error: return note(cudaErrorNotPermitted, status);  // after fork()
    default: return note(cudaErrorInvalidValue, status);
  }
}

// Whether the range is within one managed allocation: advice on other memory is an error.
cudaError_t advised(const void* pointer, std::size_t bytes) {
  const Allocation found = allocation_of(pointer);
  if (found.start == nullptr || found.memory != Memory::managed) return note(cudaErrorInvalidValue);
  const auto offset =
      static_cast<std::size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(found.start));
  return bytes > 0 && bytes <= found.bytes - offset ? cudaSuccess : note(cudaErrorInvalidValue);
}
bool is_location(int device) { return device == 0 || device == cudaCpuDeviceId; }

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return answer(allocate(bytes, pointer)); }
cudaError_t cudaFree(void* pointer) { return answer(release(pointer)); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (width > SIZE_MAX / 2 || (height > 0 && width > SIZE_MAX / 2 / height)) return note(cudaErrorMemoryAllocation);
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *pool = &the_pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool != &the_pool || value == nullptr) return note(cudaErrorInvalidValue);
  if (attribute == cudaMemPoolAttrReleaseThreshold) pool->release_threshold = *static_cast<std::uint64_t*>(value);
  return cudaSuccess;  // the others say how memory may be reused, or reset a maximum
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool != &the_pool || value == nullptr) return note(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: *static_cast<std::uint64_t*>(value) = pool->release_threshold; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *static_cast<std::uint64_t*>(value) = allocated_bytes(); break;
    default: return note(cudaErrorNotSupported);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return pool == &the_pool ? cudaSuccess : note(cudaErrorInvalidValue);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  return pool == &the_pool ? cudaMalloc(pointer, bytes) : note(cudaErrorInvalidValue);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
  if (!known || bytes == 0) return note(cudaErrorInvalidValue);
  return answer(allocate_as(Memory::managed, bytes, pointer));
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return answer(allocate_as(Memory::pinned, bytes, pointer));
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
    return note(cudaErrorInvalidValue);
  }
  return cudaMallocHost(pointer, bytes);
}
cudaError_t cudaFreeHost(void* pointer) { return answer(release_pinned(pointer)); }
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  if (pointer == nullptr || bytes == 0) return note(cudaErrorInvalidValue);
  return register_host(pointer, bytes) ? cudaSuccess : note(cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* pointer) {
  return unregister_host(pointer) ? cudaSuccess : note(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  const Allocation found = allocation_of(host);
  const bool mapped =
      found.start != nullptr && (found.memory == Memory::pinned || found.memory == Memory::registered);
  if (!mapped || flags != 0) return note(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr || pointer == nullptr) return note(cudaErrorInvalidValue);
  void* const same = const_cast<void*>(pointer);
  const Allocation found = allocation_of(pointer);
  if (found.start == nullptr) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, same};
    return cudaSuccess;
  }
  switch (found.memory) {
    case Memory::device:
    case Memory::symbol: *attributes = {cudaMemoryTypeDevice, 0, same, nullptr}; break;
    case Memory::managed: *attributes = {cudaMemoryTypeManaged, 0, same, same}; break;
    case Memory::pinned:
    case Memory::registered: *attributes = {cudaMemoryTypeHost, 0, same, same}; break;
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  *total = device_facts().memory_bytes;
  const std::size_t used = allocated_bytes();
  *available = used < *total ? *total - used : 0;
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t) {
  return is_location(device) ? advised(pointer, bytes) : note(cudaErrorInvalidDevice);
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation where, unsigned,
                                 cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId,
                              stream);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int device) {
  return is_location(device) ? advised(pointer, bytes) : note(cudaErrorInvalidDevice);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, cudaMemLocation where) {
  return cudaMemAdvise(pointer, bytes, advice, where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned) {
  return allocation_of(pointer).memory == Memory::managed ? cudaSuccess : note(cudaErrorInvalidValue);
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
    default: return note(cudaErrorInvalidMemcpyDirection);
  }
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return note(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t) {
  return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return answer(fill(pointer, static_cast<unsigned char>(value), bytes));
}
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(pointer, value, bytes);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return note(cudaErrorInvalidPitchValue);
  for (std::size_t row = height;
       row-- > 0;) {  // from the last, so that too many rows are an error before any is copied
    const cudaError_t error = cudaMemcpy(static_cast<char*>(to) + row * to_pitch,
                                         static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (width > pitch) return note(cudaErrorInvalidPitchValue);
  for (std::size_t row = height; row-- > 0;) {
    const cudaError_t error = cudaMemset(static_cast<char*>(pointer) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t) {
  return cudaMemset2D(pointer, pitch, value, width, height);
}

namespace cairn::emu {

cudaError_t copy_to_symbol(const void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset) {
  if (offset > size || bytes > size - offset) return note(cudaErrorInvalidValue);
  void* const to = static_cast<char*>(const_cast<void*>(symbol)) + offset;
  if (is_device(from)) return answer(copy_out(to, from, bytes));
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes, std::size_t offset) {
  if (offset > size || bytes > size - offset) return note(cudaErrorInvalidValue);
  const void* const from = static_cast<const char*>(symbol) + offset;
  if (is_device(to)) return answer(copy_in(to, from, bytes));
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t symbol_address(void** address, const void* symbol, std::size_t size) {
  know_symbol(symbol, size);
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

cudaError_t no_symbol() { return note(cudaErrorInvalidSymbol); }

}  // namespace cairn::emu
