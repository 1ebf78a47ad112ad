// The calls of the runtime API that take a kernel and do not launch it, and those that allocate memory for a typed pointer.
// Some that the ladder uses are in emu_launch.h.
#pragma once

#include "emu/shadow/cuda_runtime_api.h"
#include "emu/shadow/emu_launch.h"

namespace cairn::emu {

template <class T> const void* address_of(T* kernel) { return reinterpret_cast<const void*>(kernel); }

// The block size with the most threads on an SM, and how many blocks fill the device.
cudaError_t best_block_size(int* blocks, int* threads, const void* kernel, int most_threads,
                            std::size_t (*shared_of)(void* context, int threads), void* context);

}  // namespace cairn::emu

inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return cairn::emu::get_attributes(attributes, kernel);
}
// Hints: shared memory and L1 are not divided here, and banks are of 4 bytes since Maxwell.
template <class T> cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) { return cudaSuccess; }
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) { return cudaSuccess; }

inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                                 std::size_t dynamic_shared) {
  return cairn::emu::occupancy(blocks, kernel, threads, dynamic_shared);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T* kernel, int threads,
                                                                   std::size_t dynamic_shared, unsigned) {
  return cairn::emu::occupancy(blocks, cairn::emu::address_of(kernel), threads, dynamic_shared);
}

// `shared_of` maps the number of threads to bytes of dynamic shared memory.
template <class F, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* blocks, int* threads, T* kernel, F shared_of,
                                                           int most_threads = 0) {
  return cairn::emu::best_block_size(
      blocks, threads, cairn::emu::address_of(kernel), most_threads,
      [](void* f, int n) { return static_cast<std::size_t>((*static_cast<F*>(f))(n)); }, &shared_of);
}
template <class F, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* blocks, int* threads, T* kernel, F shared_of,
                                                                    int most_threads = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(blocks, threads, kernel, shared_of, most_threads);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* blocks, int* threads, T* kernel, std::size_t dynamic_shared = 0,
                                               int most_threads = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      blocks, threads, kernel, [=](int) { return dynamic_shared; }, most_threads);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* blocks, int* threads, T* kernel,
                                                        std::size_t dynamic_shared = 0, int most_threads = 0,
                                                        unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(blocks, threads, kernel, dynamic_shared, most_threads);
}

template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T> cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
