// What memory makes of one request of a warp: pure arithmetic on addresses. The traced emulator uses it for every
// access of a kernel, and `cairn lab banks` for patterns that people type in.
//
// Global memory moves in sectors of 32 bytes. Shared memory has 32 banks of 4 bytes: word i lies in bank i mod 32. A
// bank delivers one word at a time, and the same word to any number of lanes; a request takes as many wavefronts as
// its fullest bank has different words to deliver. Requests of 8 and 16 bytes a lane are served in parts, those of
// ldmatrix a matrix at a time.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::emu {

// One request: the lanes that take part, and where each of them reads or writes `bytes` bytes (1, 2, 4, 8 or 16).
struct Request {
  std::uint32_t lanes = 0;                     // bit i: lane i takes part
  unsigned bytes = 4;                          // a lane
  std::array<std::uint64_t, 32> address = {};  // of the lanes that take part
  bool matrices = false;                       // ldmatrix: the rows of a matrix, one from each of eight lanes
};

// What a caller may know of the addresses, which saves looking at them one by one.
enum class Shape : std::uint8_t {
  any,
  one,  // all lanes that take part have the same address
  row   // all 32 lanes take part, one after another without a gap, from a multiple of `bytes`
};

// Different 32-byte sectors touched.
unsigned sectors(const Request& request, Shape shape = Shape::any);

struct Wavefronts {
  unsigned all = 0;    // taken
  unsigned least = 0;  // that so many words would take without a conflict
  unsigned conflicts() const { return all - least; }
};

// Of shared memory; addresses are offsets from its start.
Wavefronts wavefronts(const Request& request, Shape shape = Shape::any);

// How often each bank must deliver in the worst part of the request: for pictures.
std::array<unsigned, 32> words_per_bank(const Request& request);

}  // namespace cairn::emu
