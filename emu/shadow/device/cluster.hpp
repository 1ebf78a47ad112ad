// The emulator's version of device/cluster.hpp.
#pragma once

#include "emu/shadow/device/sm90.hpp"
#include "emu/sm90/sm90_builtins.hpp"

namespace cairn {

inline unsigned cluster_rank() { return emu::cluster_rank(); }

inline void cluster_sync(emu::Site site = emu::Site::current()) { emu::cluster_sync(site); }
inline void cluster_arrive(emu::Site site = emu::Site::current()) { emu::cluster_arrive(site); }
inline void cluster_wait(emu::Site site = emu::Site::current()) { emu::cluster_wait(site); }

}  // namespace cairn
