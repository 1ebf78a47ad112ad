// The emulator's body of device/mbarrier.hpp. What a barrier counts is kept elsewhere: see emu/sm90/mbarrier.hpp.
#pragma once

#include "emu/shadow/device/sm90.hpp"
#include "emu/sm90/sm90_builtins.hpp"

namespace cairn {

struct alignas(8) Mbarrier {
  std::uint64_t word;
};

inline void mbarrier_init(Mbarrier* barrier, unsigned arrivals, emu::Site site = emu::Site::current()) {
  emu::shared_barrier_init(barrier, arrivals, site);
}
inline void fence_mbarrier_init(emu::Site site = emu::Site::current()) { emu::shared_barrier_ready(site); }

inline void mbarrier_arrive(Mbarrier* barrier, emu::Site site = emu::Site::current()) {
  emu::shared_barrier_arrive(barrier, site);
}
inline void mbarrier_arrive_remote(Mbarrier* barrier, unsigned rank, emu::Site site = emu::Site::current()) {
  emu::shared_barrier_arrive_at(barrier, rank, site);
}
inline void mbarrier_arrive_expect_tx(Mbarrier* barrier, unsigned bytes, emu::Site site = emu::Site::current()) {
  emu::shared_barrier_expect(barrier, bytes, site);
}

inline void mbarrier_wait(Mbarrier* barrier, unsigned parity, emu::Site site = emu::Site::current()) {
  emu::shared_barrier_wait(barrier, parity, site);
}

}  // namespace cairn
