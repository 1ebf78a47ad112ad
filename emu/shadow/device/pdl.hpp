// The emulator's body of device/pdl.hpp: kernels follow each other, so there is nothing to wait for.
#pragma once

namespace cairn {

inline void pdl_launch_dependents() {}
inline void pdl_wait() {}

}  // namespace cairn
