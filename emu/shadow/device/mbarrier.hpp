// The emulator's version of device/mbarrier.hpp. The state of an mbarrier is kept outside of shared
// memory (emu/sm90/mbarrier.hpp).
#pragma once

#include "emu/shadow/device/sm90.hpp"
#include "emu/sm90/sm90_builtins.hpp"

namespace cairn {

struct alignas(8) Mbarrier {
  std::uint64_t word;
};

inline void mbarrier_init(Mbarrier* barrier, unsigned arrivals, emu::Site site = emu::Site::current()) {
  emu::mbarrier_init(barrier, arrivals, site);
}
inline void fence_mbarrier_init(emu::Site site = emu::Site::current()) { emu::fence_mbarrier_init(site); }

inline void mbarrier_arrive(Mbarrier* barrier, emu::Site site = emu::Site::current()) {
  emu::mbarrier_arrive(barrier, site);
}
inline void mbarrier_arrive_remote(Mbarrier* barrier, unsigned rank, emu::Site site = emu::Site::current()) {
  emu::mbarrier_arrive_remote(barrier, rank, site);
}
inline void mbarrier_arrive_expect_tx(Mbarrier* barrier, unsigned bytes, emu::Site site = emu::Site::current()) {
  emu::mbarrier_arrive_expect_tx(barrier, bytes, site);
}

inline void mbarrier_wait(Mbarrier* barrier, unsigned parity, emu::Site site = emu::Site::current()) {
  emu::mbarrier_wait(barrier, parity, site);
}

}  // namespace cairn
