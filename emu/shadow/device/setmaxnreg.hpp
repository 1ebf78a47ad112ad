// The emulator's version of device/setmaxnreg.hpp. Registers are counted, but a thread is not limited to them.
#pragma once

#include "emu/sm90/warpgroup_builtins.hpp"

namespace cairn {

template <int registers> inline void setmaxnreg_dec(emu::Site site = emu::Site::current()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
  emu::setmaxnreg(false, registers, site);
}
template <int registers> inline void setmaxnreg_inc(emu::Site site = emu::Site::current()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
  emu::setmaxnreg(true, registers, site);
}

}  // namespace cairn
