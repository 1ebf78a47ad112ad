// Warpgroup-wide built-ins, called by all 128 threads at one place of the source. The shadows of device/wgmma.hpp and
// device/setmaxnreg.hpp are defined by these functions.
#pragma once

#include <cstdint>

#include "device/fragment.hpp"
#include "emu/machine/builtins.hpp"

namespace cairn::emu {

struct WgmmaShape {
  fragment::Kind kind;
  bool a_mn_major = false, b_mn_major = false;  // else k-major
};
// One thread's operands. A is a matrix descriptor, or in the thread's registers if `registers` is not null.
struct WgmmaOperands {
  float* accumulators;
  const std::uint32_t* registers;
  std::uint64_t a, b;
  bool add;
};

void wgmma_fence(Site site);
void wgmma(const WgmmaShape& what, const WgmmaOperands& mine, Site site);
void wgmma_commit(Site site);
void wgmma_wait(int left, Site site);
void setmaxnreg(bool inc, int count, Site site);

// The address for a matrix descriptor. Fails if the address or an offset is no multiple of 16.
unsigned descriptor_address(const void* shared, int stride, int leading, Site site);

}  // namespace cairn::emu
