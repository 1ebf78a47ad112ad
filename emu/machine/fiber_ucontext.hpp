// Fibers by ucontext; emu/machine/fiber.hpp describes the interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <ucontext.h>

#include "emu/machine/fiber_stack.hpp"

namespace cairn::emu {

class Fiber {
 public:
  static constexpr const char* kKind = "ucontext";

  void prepare(const Stack& stack, void (*main)()) {
    // The context is stored at the top of the stack it describes: about 1 KiB (4 KiB on aarch64).
    constexpr std::uintptr_t kAlign = 64;
    static_assert(alignof(ucontext_t) <= kAlign);
    const auto address = (reinterpret_cast<std::uintptr_t>(stack.top) - sizeof(ucontext_t)) & ~(kAlign - 1);
    context_ = new (reinterpret_cast<void*>(address)) ucontext_t;
    getcontext(context_);
    context_->uc_stack.ss_sp = stack.low;
    context_->uc_stack.ss_size = static_cast<std::size_t>(reinterpret_cast<std::byte*>(address) - stack.low);
    context_->uc_link = nullptr;
    makecontext(context_, main, 0);
  }

  static void switch_to(Fiber& from, Fiber& to) {
    thread_local ucontext_t own;  // of the one fiber that stands for the OS thread's stack
    if (from.context_ == nullptr) from.context_ = &own;
    swapcontext(from.context_, to.context_);
  }

  void expect() const {}

 private:
  ucontext_t* context_ = nullptr;
};

}  // namespace cairn::emu
