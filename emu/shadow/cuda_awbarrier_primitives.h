// Stands in for CUDA's header of this name: an mbarrier under the names it had before cuda::barrier.
#pragma once

#include <cstdint>

#include "emu/shadow/cuda_runtime.h"
#include "emu/sm90/barrier_builtins.hpp"

using __mbarrier_t = std::uint64_t;
using __mbarrier_token_t = std::uint64_t;

inline std::uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
inline void __mbarrier_init(__mbarrier_t* barrier, std::uint32_t expected,
                            cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::barrier_init(barrier, expected, "__mbarrier_init", site);
}
inline void __mbarrier_inval(__mbarrier_t* barrier, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::barrier_invalidate(barrier, "__mbarrier_inval", site);
}
inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier,
                                            cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::barrier_arrive(barrier, 1, false, "__mbarrier_arrive", site);
}
inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier,
                                                     cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::barrier_arrive(barrier, 1, true, "__mbarrier_arrive_and_drop", site);
}
// Whether the phase of the token is complete; polls.
inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token,
                                 cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::barrier_test(barrier, static_cast<unsigned>(token), "__mbarrier_test_wait", site);
}
