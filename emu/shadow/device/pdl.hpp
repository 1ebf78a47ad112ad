// The emulator's version of device/pdl.hpp: grids run one after another, so there is nothing to wait for.
#pragma once

namespace cairn {

inline void pdl_launch_dependents() {}
inline void pdl_wait() {}

}  // namespace cairn
