// The emulator's version of device/barrier.hpp.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn {

inline void bar_sync(int id, int threads, emu::Site site = emu::Site::current()) {
  emu::named_sync(id, threads, site);
}

inline void bar_arrive(int id, int threads, emu::Site site = emu::Site::current()) {
  emu::named_arrive(id, threads, site);
}

}  // namespace cairn
