// Stands in for CUDA's header of this name: a thread's groups of cp.async under the name they had before cuda::pipeline.
#pragma once

#include "emu/shadow/cuda_pipeline_primitives.h"
#include "emu/shadow/emu_copy.h"

namespace nvcuda::experimental {

class pipeline {
  using Site = cairn::emu::Site;

 public:
  pipeline() = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  // Returns the number of the batch, for wait().
  std::size_t commit(Site site = Site::current()) {
    cairn::emu::copy_commit(site);
    return batches_++;
  }
  void commit_and_wait(Site site = Site::current()) { wait(commit(site), site); }
  void wait(std::size_t batch, Site site = Site::current()) {
    if (batch < batches_) cairn::emu::copy_wait(static_cast<int>(batches_ - batch - 1), site);
  }
  template <unsigned left> void wait_prior(Site site = Site::current()) {
    cairn::emu::copy_wait(static_cast<int>(left), site);
  }

 private:
  std::size_t batches_ = 0;
};

template <class T>
void memcpy_async(T& to, const T& from, pipeline&, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::copy_share({}, &to, &from, sizeof(T), [&](void* target, const void* source, int width) {
    cairn::emu::copy_issue(target, source, width, width, site);
  });
}

}  // namespace nvcuda::experimental
