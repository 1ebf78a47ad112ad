// The emulator's version of device/tma.hpp. Copies are done as late as the program permits
// (emu/sm90/tma.hpp).
#pragma once

#include "emu/shadow/device/mbarrier.hpp"
#include "emu/shadow/device/sm90.hpp"
#include "emu/shadow/device/tensor_map.hpp"
#include "emu/sm90/sm90_builtins.hpp"

namespace cairn {

inline void fence_proxy_async(emu::Site site = emu::Site::current()) { emu::proxy_fence(site); }

inline void prefetch_tensor_map(const TensorMap&) {}

template <int rank>
inline void tma_load(void* shared, const TensorMap& map, const int (&at)[rank], Mbarrier* full,
                     emu::Site site = emu::Site::current()) {
  emu::tma_load(shared, map, at, rank, full, site);
}

template <int rank>
inline void tma_load_multicast(unsigned blocks, void* shared, const TensorMap& map, const int (&at)[rank],
                               Mbarrier* full, emu::Site site = emu::Site::current()) {
  emu::tma_load_multicast(blocks, shared, map, at, rank, full, site);
}

template <int rank>
inline void tma_store(const TensorMap& map, const int (&at)[rank], const void* shared,
                      emu::Site site = emu::Site::current()) {
  emu::tma_store(map, at, rank, shared, site);
}

inline void tma_commit(emu::Site site = emu::Site::current()) { emu::tma_commit(site); }

template <int left> inline void tma_wait_read(emu::Site site = emu::Site::current()) {
  static_assert(left >= 0);
  emu::tma_wait_read(left, site);
}
template <int left> inline void tma_wait(emu::Site site = emu::Site::current()) {
  static_assert(left >= 0);
  emu::tma_wait(left, site);
}

}  // namespace cairn
