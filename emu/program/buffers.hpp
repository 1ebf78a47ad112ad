// The device buffers that `cairn trace FILE` hands to a kernel.
#pragma once

#include <vector>

#include "emu/program/wire.hpp"

namespace cairn::emu::program {

class Buffers {
 public:
  // Allocates and fills; `number` is the argument's, from 1. Returns what went wrong, or nothing.
  std::string add(std::uint64_t number, const Argument& wanted, std::uint64_t seed, void** device);

  // What they hold now. Without detectors nobody has seen what was written; then everything counts as written.
  std::vector<Buffer> look(bool writes_seen) const;

 private:
  struct Held {
    Buffer buffer;
    unsigned char* device;
  };
  std::vector<Held> all_;  // the program ends after one launch: nothing is given back
};

}  // namespace cairn::emu::program
