// cuda::device::experimental: TMA as functions that take a cuda::barrier. Included by cuda/barrier.
#pragma once

#include "emu/shadow/cuda.h"
#include "emu/shadow/cuda/barrier"
#include "emu/sm90/sm90_builtins.hpp"

namespace cuda::device::experimental {

#define CAIRN_BULK_TENSOR(rank, coordinates, list)                                                                   \
  template <thread_scope Scope>                                                                                      \
  void cp_async_bulk_tensor_##rank##d_global_to_shared(void* to, const CUtensorMap* map, CAIRN_ARGS coordinates,     \
                                                       barrier<Scope>& barrier,                                      \
                                                       cairn::emu::Site site = cairn::emu::Site::current()) {        \
    const int at[] = {CAIRN_ARGS list};                                                                              \
    cairn::emu::tma_load(to, *map, at, rank, &barrier, site);                                                        \
  }                                                                                                                  \
  inline void cp_async_bulk_tensor_##rank##d_shared_to_global(const CUtensorMap* map, CAIRN_ARGS coordinates,        \
                                                              const void* from,                                      \
                                                              cairn::emu::Site site = cairn::emu::Site::current()) { \
    const int at[] = {CAIRN_ARGS list};                                                                              \
    cairn::emu::tma_store(*map, at, rank, from, site);                                                               \
  }
#define CAIRN_ARGS(...) __VA_ARGS__
CAIRN_BULK_TENSOR(1, (int c0), (c0))
CAIRN_BULK_TENSOR(2, (int c0, int c1), (c0, c1))
CAIRN_BULK_TENSOR(3, (int c0, int c1, int c2), (c0, c1, c2))
CAIRN_BULK_TENSOR(4, (int c0, int c1, int c2, int c3), (c0, c1, c2, c3))
CAIRN_BULK_TENSOR(5, (int c0, int c1, int c2, int c3, int c4), (c0, c1, c2, c3, c4))
#undef CAIRN_BULK_TENSOR
#undef CAIRN_ARGS

// It makes the barriers that the thread has initialized visible to TMA as well.
inline void fence_proxy_async_shared_cta(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::fence_mbarrier_init(site);
  cairn::emu::proxy_fence(site);
}
inline void fence_proxy_async_global(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::proxy_fence(site);
}

inline void cp_async_bulk_commit_group(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::tma_commit(site);
}
template <int left> inline void cp_async_bulk_wait_group_read(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::tma_wait_read(left, site);
}
template <int left> inline void cp_async_bulk_wait_group(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::tma_wait(left, site);
}

}  // namespace cuda::device::experimental
