// The emulator's version of device/prefetch.hpp: caches are not emulated, and a prefetch may name any address.
#pragma once

namespace cairn {

inline constexpr int kLineBytes = 128;

inline void prefetch_l2(const void*) {}

}  // namespace cairn
