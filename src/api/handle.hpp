// The state of a Handle: device, stream, workspace, cached plans.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"
#include "src/dispatch/plan_cache.hpp"

namespace cairn {

struct Handle::Impl {
  std::shared_ptr<runtime::Machine> machine;
  runtime::Stream stream = nullptr;
  void* lent = nullptr;  // the workspace that the caller set, if any
  std::size_t lent_bytes = 0;
  runtime::Buffer own;  // the handle's own workspace, which grows as plans need it

  dispatch::SplitBy split_by = dispatch::SplitBy::nobody;  // who asks for f32 as split: CAIRN_F32, then set_f32()
  dispatch::PlanCache plans;

  // Scratch memory of at least `bytes`: the caller's workspace if one was set, else the handle's own.
  Status workspace(std::size_t bytes, std::span<std::byte>& out);
};

}  // namespace cairn
