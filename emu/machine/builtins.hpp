// What kernel code calls: the shadow headers define CUDA's built-ins by these functions. All bodies are out of line,
// so that the traced build does not record the emulator's own memory accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "emu/machine/mma.hpp"
#include "emu/shadow/vector_types.h"

namespace cairn::emu {

using Site = std::source_location;  // of a call in the kernel's source, for reports

// threadIdx and the like. `const`: they never change within a fiber, so the compiler may read them once.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] dim3 block_extent();
[[gnu::const]] dim3 grid_extent();
[[gnu::const]] dim3 cluster_extent();
[[gnu::const]] unsigned lane_index();

// The block's 16 barriers; 0 is __syncthreads. block_sync returns how many threads arrived with a true predicate.
int block_sync(bool predicate, const char* call, Site site);
void named_sync(int barrier, int threads, Site site);
void named_arrive(int barrier, int threads, Site site);

// The barrier of all threads of the grid, which a cooperative launch has.
void grid_sync(Site site);
bool is_cooperative();

// Warp collectives: the lanes named in the mask synchronize, each with a value, and every lane gets its result
// when the last one has arrived.
enum class WarpOp : std::uint8_t {
  sync,
  shuffle,    // the value of lane `argument`; all ones if that lane is not in the mask
  ballot,     // the lanes whose value is not 0
  match_any,  // the lanes whose value is mine
  match_all,  // the mask if all values are equal, or 0
  add,        // reductions of 32-bit values
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  warp_wide  // all 32 lanes, at one place of the source: LaneArguments in block.hpp
};
std::uint64_t warp_exchange(WarpOp op, const char* call, unsigned mask, std::uint64_t value, unsigned argument,
                            Site site);

// cp.async (emu/machine/async_copy.hpp): 4, 8 or 16 bytes, of which `valid` are read and the rest are zeros. A wait
// is for all groups of the calling thread but the newest `left`.
void copy_issue(void* shared, const void* global, int bytes, int valid, Site site);
void copy_commit(Site site);
void copy_wait(int left, Site site);
void copy_wait_all(Site site);

// Tensor cores, for all 32 lanes of a warp: mma; ldmatrix and stmatrix of `count` matrices of 8 rows of 16 bytes,
// where lane 8 i + r has the address of row r of matrix i. Lanes that load or store a wmma tile must give the same
// address and leading dimension (check_same_tile), both of which must be aligned (check_tile).
void warp_mma(const Multiply& what, const char* call, const LaneTiles& mine, Site site);
void warp_ldmatrix(std::uint32_t* to, const void* row, int count, bool transposed, const char* call, Site site);
void warp_stmatrix(void* row, const std::uint32_t* from, int count, bool transposed, const char* call, Site site);
bool is_in_shared(const void* address);
void check_tile(const char* call, const void* tile, unsigned ld, unsigned element_bytes, Site site);
void check_same_tile(const char* call, const void* tile, unsigned ld, Site site);

// Called by whatever may be one iteration of a polling loop: lets the other threads run. `changed`: it altered
// memory. A launch in which no thread alters anything any more is reported as stuck.
void spin(const char* call, bool changed, Site site);

// __threadfence and the like. Also lets other threads run, since a polling loop may
// contain a fence and no other call.
void fence(const char* call, Site site);

// Nanoseconds of a monotonic clock, the same for all blocks.
std::uint64_t ticks();

// End the launch with an error; outside a kernel, the program.
[[noreturn]] void trap(Site site);
[[noreturn]] void assertion_failed(const char* condition, Site site);

}  // namespace cairn::emu
