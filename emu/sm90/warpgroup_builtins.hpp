// What kernel code calls of a warpgroup: the shadows of device/wgmma.hpp and device/setmaxnreg.hpp turn into these.
// All 128 threads come, at one place of the source.
#pragma once

#include <cstdint>

#include "device/fragment.hpp"
#include "emu/machine/builtins.hpp"

namespace cairn::emu {

struct GroupMultiply {
  fragment::Kind kind;
  bool a_along_rows = false, b_along_rows = false;  // which neighbours touch; else those along k
};
// One thread's part of it. A is a descriptor, or where the thread's registers are.
struct GroupTiles {
  float* sums;
  const std::uint32_t* registers;
  std::uint64_t a, b;
  bool add;
};

void group_fence(Site site);
void group_multiply(const GroupMultiply& what, const GroupTiles& mine, Site site);
void group_commit(Site site);
void group_wait(int left, Site site);
void group_registers(bool take, int count, Site site);

// An operand's address for a descriptor. What a descriptor cannot say is a report.
unsigned operand_address(const void* shared, int stride, int lead, Site site);

}  // namespace cairn::emu
