// The emulator's body of device/dependent.hpp: kernels follow each other, so there is nothing to wait for.
#pragma once

namespace cairn {

inline void let_next_begin() {}
inline void wait_for_previous() {}

}  // namespace cairn
