// A launch, with the types of the kernel's parameters erased.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cairn/types.hpp"
#include "emu/shadow/vector_types.h"

namespace cairn::emu {

struct Launch {
  const void* kernel = nullptr;  // the function's address: it names the kernel, and finds its shared arrays
  dim3 grid, block;
  std::size_t dynamic_shared = 0;
  void (*call)(const void* arguments) = nullptr;  // calls the kernel once, as one thread
  const void* arguments = nullptr;
  std::size_t argument_bytes = 0;
  dim3 cluster = {1, 1, 1};  // blocks
  bool cooperative = false;  // all blocks are co-resident, and grid.sync() is allowed

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned cluster_size() const { return cluster.x * cluster.y * cluster.z; }
  std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
};

// The device's limits, those of sm_90.
inline constexpr unsigned kMostThreads = 1024;
inline constexpr unsigned kWarp = 32;
inline constexpr std::size_t kSharedWithoutAsking = 48 * 1024;
inline constexpr std::size_t kMostShared = 227 * 1024;
inline constexpr std::size_t kSharedPerSm = 228 * 1024;
inline constexpr std::size_t kSharedReservedPerBlock = 1024;
inline constexpr unsigned kMostThreadsPerSm = 2048;
inline constexpr unsigned kMostBlocksPerSm = 32;
inline constexpr unsigned kMostCluster = 8;

// Runs the grid to its end, or to its first failure. The launch must already be within the device's limits.
Status run_grid(const Launch& launch);

// Called before every launch; null if nobody wants to know.
extern void (*before_launch)();

// How a launch within the limits is run: by run_grid, unless somebody looks at what it does to memory.
extern Status (*run_launch)(const Launch& launch);

// Whether the calling code is part of a kernel.
bool inside_kernel();

// How many blocks of the launch the emulated device holds at once.
std::uint64_t co_resident_blocks(const Launch& launch);

// How many blocks of this shape an SM holds. Registers are not counted: g++ does not know them.
unsigned blocks_per_sm(unsigned threads, std::size_t shared_bytes);

}  // namespace cairn::emu
