// Stands in for CUDA's header of this name: cuda::barrier as it was called before.
#pragma once

#include "emu/shadow/cuda/barrier"
#include "emu/shadow/cuda_awbarrier_primitives.h"

namespace nvcuda::experimental {

class awbarrier {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  using Site = cairn::emu::Site;

 public:
  using arrival_token = Barrier::arrival_token;

  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;

  static constexpr std::uint32_t max() { return (1u << 20) - 1; }

  arrival_token arrive(Site site = Site::current()) { return barrier_.arrive(1, site); }
  void wait(arrival_token token, Site site = Site::current()) {
    barrier_.wait(static_cast<arrival_token&&>(token), site);
  }
  void arrive_and_wait(Site site = Site::current()) { barrier_.arrive_and_wait(site); }
  void arrive_and_drop(Site site = Site::current()) { barrier_.arrive_and_drop(site); }

 private:
  friend void init(awbarrier* barrier, unsigned expected, Site site);
  Barrier barrier_;
};

inline void init(awbarrier* barrier, unsigned expected, cairn::emu::Site site = cairn::emu::Site::current()) {
  init(&barrier->barrier_, expected, site);
}

}  // namespace nvcuda::experimental
