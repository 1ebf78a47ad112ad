// What a product of a warpgroup computes: 64 x n sums += 64 x k of A times k x n of B, 32 bytes of k, and where in
// shared memory its operands lie. Sums as in emu/machine/mma.hpp: in double and rounded once, or as Hopper does.
#pragma once

#include <cstdint>
#include <vector>

#include "device/fragment.hpp"
#include "emu/machine/shared_window.hpp"

namespace cairn::emu {

inline constexpr unsigned kGroup = 128;      // threads of a warpgroup
inline constexpr unsigned kGroupRows = 64;   // of A and of the sums
inline constexpr unsigned kPieceBytes = 16;  // neighbours in any order of pieces

// Numbers of an operand: blocks of eight rows of A or columns of B, and in each, for every k, those eight.
using Blocks = std::vector<double>;

// An operand in shared memory, as the 64 bits say that an instruction takes.
struct Descriptor {
  unsigned start, lead, stride;  // bytes
  unsigned line;                 // bytes of a line, 128, 64 or 32; 16: pieces are not exchanged
  bool along_rows;               // a line is rows of one k

  Descriptor(std::uint64_t bits, bool rows_touch);

  // Where its 16-byte pieces lie, 2 for each row. Along k: row by row. Along the rows: k by k, eight rows a piece.
  std::vector<unsigned> pieces(unsigned rows) const;
};

// Reads `pieces` of `rows` rows from base on.
void read_operand(Blocks& to, fragment::Type type, bool along_rows, unsigned rows,
                  const std::vector<unsigned>& pieces, const std::byte* base);
// A, from the four registers of each thread of the warpgroup.
void read_registers(Blocks& to, const fragment::Kind& kind, const std::uint32_t* const* registers);

// sums: n / 8 blocks of 64 rows of eight columns. Not `add`: begun at 0.
void multiply_group(float* sums, const fragment::Kind& kind, const Blocks& a, const Blocks& b, bool add,
                    bool faithful);

// Between a thread's registers and blocks of sums.
void for_each_accumulator(float* sums, unsigned n, unsigned thread, const float* registers);
void take_sums(const float* sums, unsigned n, unsigned thread, float* registers);

}  // namespace cairn::emu
