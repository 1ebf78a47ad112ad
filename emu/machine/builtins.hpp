// What kernel code calls: the shadow headers turn CUDA's built-ins into these. All bodies are out of line, so that a
// build that watches memory accesses does not see the emulator's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "emu/machine/mma.hpp"
#include "emu/shadow/vector_types.h"

namespace cairn::emu {

using Site = std::source_location;  // where in the kernel's source something was called, for reports

// Where am I. `const`: within one fiber the answer never changes, so the compiler may ask once.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] dim3 block_extent();
[[gnu::const]] dim3 grid_extent();
[[gnu::const]] unsigned lane_index();

// The block's barriers: 0 is __syncthreads. A sync returns how many of those who came brought a true predicate.
int block_sync(bool predicate, const char* call, Site site);
void named_sync(int barrier, int threads, Site site);
void named_arrive(int barrier, int threads, Site site);

// The warp's collectives: a rendezvous of the lanes named in the mask, each with a value; every lane gets its result
// when the last one comes.
enum class WarpOp : std::uint8_t {
  sync,
  shuffle,    // the value of lane `argument`; all ones if that lane takes no part
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
  together  // of all 32 lanes, at one place of the source: see Share in emu/machine/block.hpp
};
std::uint64_t warp_exchange(WarpOp op, const char* call, unsigned mask, std::uint64_t value, unsigned argument,
                            Site site);

// Copies from global to shared memory that land when they are waited for (emu/machine/async_copy.hpp): 4, 8 or 16 bytes, of which
// `valid` are read. A wait is for all groups of the calling thread but the newest `left`.
void copy_issue(void* shared, const void* global, int bytes, int valid, Site site);
void copy_commit(Site site);
void copy_wait(int left, Site site);
void copy_wait_all(Site site);

// Tensor cores. All lanes of the warp take part: products of tiles in registers; matrices of 8 rows of 16 bytes from
// shared memory, or to it, lane 8 i + r with the address of row r of matrix i. Lanes that load or store a tile of
// wmma must agree where it is, and a tile has rules of its own.
void multiply_together(const Multiply& what, const char* call, const LaneTiles& mine, Site site);
void load_matrices_together(std::uint32_t* to, const void* row, int count, bool transposed, const char* call,
                            Site site);
void store_matrices_together(void* row, const std::uint32_t* from, int count, bool transposed, const char* call,
                             Site site);
bool in_shared(const void* address);
void check_tile(const char* call, const void* tile, unsigned ld, unsigned element_bytes, Site site);
void agree_on_tile(const char* call, const void* tile, unsigned ld, Site site);

// A step of what may be a wait for another thread: lets the others run. `changed` says whether it altered memory; a
// launch in which nobody alters anything any more is reported as stuck.
void spin(const char* call, bool changed, Site site);

// Orders this OS thread's memory accesses as seen by the others. Polling loops often hold a fence and nothing else
// that could let others run, so it does.
void fence(const char* call, Site site);

// Nanoseconds that never run backwards, the same clock for all blocks.
std::uint64_t ticks();

// Ends the launch with an error. Outside a kernel they end the program.
[[noreturn]] void trap(Site site);
[[noreturn]] void assertion_failed(const char* condition, Site site);

}  // namespace cairn::emu
