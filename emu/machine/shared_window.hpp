// The shared window: a block's shared memory by the 18-bit addresses that instructions use
// (__cvta_generic_to_shared). Arrays follow one another, each at the same address modulo 1024 as in host memory,
// because a swizzle depends on the low bits of the address.
#pragma once

#include <cstddef>
#include <vector>

#include "emu/machine/launch.hpp"

namespace cairn::emu {

class SharedWindow {
 public:
  static constexpr unsigned kEnd = 1u << 18;

  // A block begins on this OS thread. Its arrays are found at the first use.
  void reset(const Launch& launch) { launch_ = &launch, known_ = false; }

  unsigned address(const void* shared);  // 0 if it is not in an array of the kernel
  // base + address is the byte in host memory, for addresses in [first, end); null if they are not in one array.
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

// For kernels: the address in the running block's shared window.
unsigned shared_offset(const void* shared);

}  // namespace cairn::emu
