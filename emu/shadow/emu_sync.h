// Barriers of a block, and memory fences: fences of the host, since other blocks run on other OS threads.
#pragma once

#include "emu/machine/builtins.hpp"

inline void __syncthreads(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::block_sync(false, "__syncthreads", site);
}

inline int __syncthreads_count(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::block_sync(predicate != 0, "__syncthreads_count", site);
}

inline int __syncthreads_and(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  const dim3 block = cairn::emu::block_extent();
  const int all = static_cast<int>(block.x * block.y * block.z);
  return cairn::emu::block_sync(predicate != 0, "__syncthreads_and", site) == all ? 1 : 0;
}

inline int __syncthreads_or(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::block_sync(predicate != 0, "__syncthreads_or", site) != 0 ? 1 : 0;
}

inline void __threadfence_block(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::fence("__threadfence_block", site);
}
inline void __threadfence(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::fence("__threadfence", site);
}
inline void __threadfence_system(cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::fence("__threadfence_system", site);
}

inline void __nanosleep(unsigned, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::spin("__nanosleep", false, site);
}
