// The emulator's body of device/setmaxnreg.hpp. Registers are counted, and a thread has as many as it likes.
#pragma once

#include "emu/sm90/warpgroup_builtins.hpp"

namespace cairn {

template <int registers> inline void setmaxnreg_dec(emu::Site site = emu::Site::current()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
  emu::group_registers(false, registers, site);
}
template <int registers> inline void setmaxnreg_inc(emu::Site site = emu::Site::current()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
  emu::group_registers(true, registers, site);
}

}  // namespace cairn
