// A copy of all device memory, and of host memory that kernels access.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/device_memory.hpp"

namespace cairn::emu::program {

struct Contents {
  Allocation of;
  std::vector<unsigned char> bytes;
};

class Snapshot {
 public:
  static Snapshot now();

  const std::vector<Contents>& all() const { return all_; }
  const Contents* find(std::uint64_t number) const;  // null: it was not there
  void put(const Contents& contents);                // replaces those of the allocation, if it is there
  void restore() const;                              // all of them must be live

 private:
  std::vector<Contents> all_;  // in the order of their numbers
};

}  // namespace cairn::emu::program
