// What a Handle holds.
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
  void* lent = nullptr;  // the caller's workspace, if one was set
  std::size_t lent_bytes = 0;
  runtime::Buffer own;  // grown as plans need it

  dispatch::PlanCache plans;

  // Scratch memory of at least `bytes`, from the caller if one was lent and else our own.
  Status workspace(std::size_t bytes, std::span<std::byte>& out);
};

}  // namespace cairn
