// The emulator's version of device/elect.hpp. It elects lane 0.
#pragma once

#include "emu/shadow/device/sm90.hpp"
#include "emu/shadow/emu_warp.h"

namespace cairn {

inline bool elect_one(emu::Site site = emu::Site::current()) {
  emu::warp_exchange(emu::WarpOp::sync, "elect_one", 0xffffffffu, 0, 0, site);
  return emu::lane_index() == 0;
}

}  // namespace cairn
