// Sectors, wavefronts and bank conflicts of one request of a warp: arithmetic on its 32 addresses. The traced
// emulator uses it for every access of a kernel, and `cairn lab banks` for patterns that are typed in.
//
// Global memory moves in sectors of 32 bytes. Shared memory has 32 banks of 4 bytes: word i is in bank i mod 32. A
// bank delivers one word at a time, and the same word to any number of lanes; a request takes as many wavefronts as
// its fullest bank has different words to deliver. Requests of 8 and 16 bytes a lane are served in parts, those of
// ldmatrix a matrix at a time.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::emu {

// One request: the active lanes, and the address at which each reads or writes `bytes` bytes (1, 2, 4, 8 or 16).
struct Request {
  std::uint32_t lanes = 0;                     // bit i: lane i is active
  unsigned bytes = 4;                          // per lane
  std::array<std::uint64_t, 32> address = {};  // of the active lanes
  bool matrices = false;                       // ldmatrix: the rows of a matrix, one from each of eight lanes
};

// What the caller knows of the addresses, which makes counting faster.
enum class Shape : std::uint8_t {
  any,
  one,  // all active lanes have the same address
  row   // all 32 lanes are active, at consecutive addresses from a multiple of `bytes` on
};

// How many different 32-byte sectors are accessed.
unsigned sectors(const Request& request, Shape shape = Shape::any);

struct Wavefronts {
  unsigned all = 0;    // taken
  unsigned least = 0;  // for as many words without a conflict
  unsigned conflicts() const { return all - least; }
};

// For shared memory; addresses are offsets in it.
Wavefronts wavefronts(const Request& request, Shape shape = Shape::any);

// How many words each bank delivers in the worst part of the request: for pictures.
std::array<unsigned, 32> words_per_bank(const Request& request);

}  // namespace cairn::emu
