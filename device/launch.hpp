// Kernel launches, written so that both nvcc and g++ (for the emulator) compile them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "cairn/types.hpp"

namespace cairn {

// Blocks in each dimension. CUDA permits 2^31 - 1 along x and 65535 along y and z; a rung that needs more uses a loop
// in the kernel, several launches, or the x dimension.
struct Grid {
  std::int64_t x = 1, y = 1, z = 1;
};

// For __launch_bounds__: `blocks` per SM, or half of them if they exceed the threads of an SM: 2048 on most GPUs,
// fewer on some.
constexpr int resident(int threads, int blocks) {
#if !defined(__CUDA_ARCH__)
  constexpr int most = 2048;
#elif __CUDA_ARCH__ == 750
  constexpr int most = 1024;
#elif __CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1200
  constexpr int most = 1536;
#else
  constexpr int most = 2048;
#endif
  return blocks * threads <= most ? blocks : blocks / 2;
}

namespace detail {
inline Status launch_failed(cudaError_t error) {
  (void)cudaGetLastError();
  return {Code::device_error, std::string("launch: ") + cudaGetErrorName(error) + ", " + cudaGetErrorString(error)};
}

inline cudaLaunchAttribute pdl_attribute() {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return early;
}

// Caches a number from 1 to 255 for each kernel and device, so that the driver is not called again at every launch.
// It is lock-free: an entry is one word with the kernel's address (48 bits), the device (8) and the number (8). If
// the table is full, nothing is cached and the driver is called each time.
class Known {
 public:
  using Table = std::array<std::atomic<std::uint64_t>, 1024>;
  Known(const void* kernel, Table& table) {
    int device = 0;
    (void)cudaGetDevice(&device);
    key_ = reinterpret_cast<std::uintptr_t>(kernel) << 16 | static_cast<std::uint64_t>(device & 0xff) << 8;
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    for (std::uint64_t at = key_ * kGolden >> 54, last = at + 16; at != last; ++at) {
      std::atomic<std::uint64_t>& entry = table[at % table.size()];
      std::uint64_t found = entry.load(std::memory_order_acquire);
      if (found == 0 && entry.compare_exchange_strong(found, key_)) found = key_;
      if ((found & ~std::uint64_t{0xff}) != key_) continue;
      entry_ = &entry;
      return;
    }
  }
  unsigned number() const { return entry_ == nullptr ? 0 : static_cast<unsigned>(entry_->load() & 0xff); }
  void set(unsigned number) {
    if (entry_ != nullptr) entry_->store(key_ | number, std::memory_order_release);
  }

 private:
  std::uint64_t key_ = 0;
  std::atomic<std::uint64_t>* entry_ = nullptr;
};

inline Known::Table shared_allowed, waiting_kernels;

// Kernels that use more than 48 KiB of dynamic shared memory must opt in.
template <class Kernel> cudaError_t allow_shared(Kernel kernel, std::size_t bytes) {
  constexpr std::size_t kWithoutOptIn = 48 * 1024;
  if (bytes <= kWithoutOptIn) return cudaSuccess;
  Known allowed(reinterpret_cast<const void*>(kernel), shared_allowed);
  const auto kib = static_cast<unsigned>((bytes + 1023) / 1024);
  if (allowed.number() >= kib) return cudaSuccess;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kib * 1024));
  if (error == cudaSuccess) allowed.set(kib);
  return error;
}

// Whether the kernel's code waits for the previous grid (pdl_wait of device/pdl.hpp): it does if compiled for sm_90
// or newer.
template <class Kernel> cudaError_t has_pdl_wait(Kernel kernel, bool& waits) {
  constexpr unsigned kNo = 1, kYes = 2;
  Known answer(reinterpret_cast<const void*>(kernel), waiting_kernels);
  if (answer.number() == 0) {
    cudaFuncAttributes code{};
    if (const cudaError_t error = cudaFuncGetAttributes(&code, kernel); error != cudaSuccess) return error;
    waits = code.ptxVersion >= 90;
    answer.set(waits ? kYes : kNo);
    return cudaSuccess;
  }
  waits = answer.number() == kYes;
  return cudaSuccess;
}

template <class... Parameters, class... Arguments>
Status launch(cudaLaunchAttribute* attributes, unsigned count, Grid grid, dim3 block, std::size_t shared_bytes,
              void* stream, void (*kernel)(Parameters...), Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return {};
  constexpr std::int64_t kMostX = std::numeric_limits<std::int32_t>::max(), kMostYZ = 65535;
  if (grid.x > kMostX || grid.y > kMostYZ || grid.z > kMostYZ) {
    return {Code::unsupported, "a grid of " + std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " +
                                   std::to_string(grid.z) + " blocks is more than CUDA takes"};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = attributes;
  config.numAttrs = count;
  if (const cudaError_t error = allow_shared(kernel, shared_bytes); error != cudaSuccess) return launch_failed(error);
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
  return error == cudaSuccess ? Status{} : launch_failed(error);
}
}  // namespace detail

// `shared_bytes`: dynamic shared memory.
template <class... Parameters, class... Arguments>
Status launch(Grid grid, dim3 block, std::size_t shared_bytes, void* stream, void (*kernel)(Parameters...),
              Arguments&&... arguments) {
  return detail::launch(nullptr, 0, grid, block, shared_bytes, stream, kernel, std::forward<Arguments>(arguments)...);
}

// PDL: the grid may start before the previous one in the stream has ended, because its code waits for that
// (pdl_wait). Code compiled for a GPU older than sm_90 does not wait; then the launch is an ordinary one.
template <class... Parameters, class... Arguments>
Status launch_pdl(Grid grid, dim3 block, std::size_t shared_bytes, void* stream, void (*kernel)(Parameters...),
                  Arguments&&... arguments) {
  bool waits = false;
  if (const cudaError_t error = detail::has_pdl_wait(kernel, waits); error != cudaSuccess) {
    return detail::launch_failed(error);
  }
  cudaLaunchAttribute early = detail::pdl_attribute();
  return detail::launch(&early, waits ? 1 : 0, grid, block, shared_bytes, stream, kernel,
                        std::forward<Arguments>(arguments)...);
}

namespace detail {
// As much of an SM's memory as can be is shared memory.
inline cudaLaunchAttribute carveout_attribute() {
  cudaLaunchAttribute how{};
  how.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
  how.val.sharedMemCarveout = cudaSharedmemCarveoutMaxShared;
  return how;
}
}  // namespace detail

// PDL for an sm_90 kernel whose blocks should be co-resident with those of the previous or the dependent grid, which
// use most of an SM's memory as shared memory: all of them then prefer the same carveout.
template <class... Parameters, class... Arguments>
Status launch_pdl_co_resident(Grid grid, dim3 block, std::size_t shared_bytes, void* stream,
                              void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchAttribute how[2] = {detail::pdl_attribute(), detail::carveout_attribute()};
  return detail::launch(how, 2, grid, block, shared_bytes, stream, kernel, std::forward<Arguments>(arguments)...);
}

// For a kernel with clusters (device/cluster.hpp) of `blocks` along x. The grid is a multiple of that.
template <class... Parameters, class... Arguments>
Status launch_cluster(unsigned blocks, Grid grid, dim3 block, std::size_t shared_bytes, void* stream,
                      void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  return detail::launch(&cluster, 1, grid, block, shared_bytes, stream, kernel,
                        std::forward<Arguments>(arguments)...);
}

// PDL and clusters, for kernels that use most of an SM's memory as shared memory, one block or two on an SM. Clusters
// need sm_90, so the kernel's code has its pdl_wait; `blocks` may be 1.
template <class... Parameters, class... Arguments>
Status launch_pdl_cluster(unsigned blocks, Grid grid, dim3 block, std::size_t shared_bytes, void* stream,
                          void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchAttribute how[3] = {detail::pdl_attribute(), detail::carveout_attribute(), {}};
  how[2].id = cudaLaunchAttributeClusterDimension;
  how[2].val.clusterDim.x = blocks;
  how[2].val.clusterDim.y = how[2].val.clusterDim.z = 1;
  return detail::launch(how, blocks > 1 ? 3 : 2, grid, block, shared_bytes, stream, kernel,
                        std::forward<Arguments>(arguments)...);
}

}  // namespace cairn
