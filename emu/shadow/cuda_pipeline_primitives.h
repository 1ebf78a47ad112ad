// Stands in for CUDA's header of this name: cp.async and its groups (emu/machine/async_copy.hpp).
#pragma once

#include "emu/shadow/cuda_runtime.h"

// 4, 8 or 16 bytes, of which the last `zeros` are not read and become 0.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
    cairn::emu::assertion_failed("__pipeline_memcpy_async copies 4, 8 or 16 bytes, and fills no more than them",
                                 site);
  cairn::emu::copy_issue(to, from, static_cast<int>(bytes), static_cast<int>(bytes - zeros), site);
}
inline void __pipeline_commit(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::copy_commit(site); }
// Until all of this thread's groups but the newest `left` are complete.
inline void __pipeline_wait_prior(std::size_t left, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::copy_wait(static_cast<int>(left), site);
}
