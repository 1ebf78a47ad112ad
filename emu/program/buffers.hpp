// The device buffers that `cairn trace FILE` passes to a kernel.
#pragma once

#include <vector>

#include "emu/program/wire.hpp"

namespace cairn::emu::program {

class Buffers {
 public:
  // Allocates and fills; `number` is the argument's, from 1. Returns what went wrong, or nothing.
  std::string add(std::uint64_t number, const Argument& wanted, std::uint64_t seed, void** device);

  // Their contents now. Without detectors writes are not recorded, and everything counts as written.
  std::vector<Buffer> look(bool writes_seen) const;

 private:
  struct Held {
    Buffer buffer;
    unsigned char* device;
  };
  std::vector<Held> all_;  // never freed: the program ends after one launch
};

}  // namespace cairn::emu::program
