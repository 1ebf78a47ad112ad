// What one wgmma computes: 64 x n accumulators += 64 x k of A times k x n of B, where k is 32 bytes, and where its
// operands are in shared memory. It rounds as emu/machine/mma.hpp does: once, from double, or as Hopper does.
#pragma once

#include <cstdint>
#include <vector>

#include "device/fragment.hpp"
#include "emu/machine/shared_window.hpp"

namespace cairn::emu {

inline constexpr unsigned kWarpgroup = 128;  // threads of a warpgroup
inline constexpr unsigned kWgmmaRows = 64;   // m of every wgmma
inline constexpr unsigned kChunkBytes = 16;  // a chunk, which a swizzle does not split

// An operand as numbers: in blocks of eight rows of A or columns of B, with those eight
// for k = 0, for k = 1, and so on.
using Blocks = std::vector<double>;

// The 64-bit matrix descriptor of an operand in shared memory, decoded.
struct MatrixDescriptor {
  unsigned start, leading, stride;  // bytes
  unsigned row_bytes;               // of a swizzled row: 128, 64 or 32; 16: no swizzle
  bool mn_major;                    // a row of shared memory has one k

  MatrixDescriptor(std::uint64_t bits, bool is_mn_major);

  // Addresses of its 16-byte chunks, 2 for each row. k-major: row by row. MN-major: k by k, eight rows a chunk.
  std::vector<unsigned> chunks(unsigned rows) const;
};

// Reads the chunks of `rows` rows, relative to base.
void read_operand(Blocks& to, fragment::Type type, bool mn_major, unsigned rows, const std::vector<unsigned>& chunks,
                  const std::byte* base);
// A, from the four registers of each thread of the warpgroup.
void read_registers(Blocks& to, const fragment::Kind& kind, const std::uint32_t* const* registers);

// accumulators: n / 8 blocks of 64 rows of eight columns. Without `add` they start at 0.
void multiply_warpgroup(float* accumulators, const fragment::Kind& kind, const Blocks& a, const Blocks& b, bool add,
                        bool faithful);

// Between a thread's registers and the blocks of accumulators.
void put_accumulators(float* accumulators, unsigned n, unsigned thread, const float* registers);
void get_accumulators(const float* accumulators, unsigned n, unsigned thread, float* registers);

}  // namespace cairn::emu
