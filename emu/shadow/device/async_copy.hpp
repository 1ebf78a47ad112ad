// The emulator's version of device/async_copy.hpp. A copy is done as late as the
// program permits (emu/machine/async_copy.hpp).
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn {

enum class Through { l1, l2 };  // there are no caches here

template <int bytes, Through through = bytes == 16 ? Through::l2 : Through::l1>
inline void async_copy(void* shared, const void* global, int valid = bytes, emu::Site site = emu::Site::current()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(bytes == 16 || through == Through::l1, "cp.async.cg copies 16 bytes");
  emu::copy_issue(shared, global, bytes, valid, site);
}

inline void async_commit(emu::Site site = emu::Site::current()) { emu::copy_commit(site); }

template <int left> inline void async_wait(emu::Site site = emu::Site::current()) {
  static_assert(left >= 0);
  emu::copy_wait(left, site);
}

inline void async_wait_all(emu::Site site = emu::Site::current()) { emu::copy_wait_all(site); }

}  // namespace cairn
