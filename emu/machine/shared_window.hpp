// A block's shared memory by the addresses that instructions know it by: numbers of 18 bits, from its start. Arrays
// lie one after another, and each at the same place of a piece of 1024 bytes as in the host's memory, because the
// order of an operand's 16-byte pieces follows from their addresses' bits.
#pragma once

#include <cstddef>
#include <vector>

#include "emu/machine/launch.hpp"

namespace cairn::emu {

class SharedWindow {
 public:
  static constexpr unsigned kEnd = 1u << 18;

  // Of the block that begins on this OS thread. The arrays are found when somebody asks.
  void reset(const Launch& launch) { launch_ = &launch, known_ = false; }

  unsigned address(const void* shared);  // 0 if it is not in an array of the kernel
  // What to add to an address from [first, end) to come to its byte; null if they are not in one array.
  const std::byte* base(unsigned first, unsigned end);

 private:
  struct Array {
    const std::byte* start;
    unsigned bytes, address;
  };
  void find();

  const Launch* launch_ = nullptr;
  bool known_ = false;
  std::vector<Array> arrays_;
};

// For kernels: of the block that runs.
unsigned shared_offset(const void* shared);

}  // namespace cairn::emu
