// Fibers by Boost.Context; emu/machine/fiber.hpp describes the interface.
#pragma once

#include <cstddef>

#include <boost/context/detail/fcontext.hpp>

#include "emu/machine/fiber_stack.hpp"

namespace cairn::emu {

// Uses Boost's fcontext level, not its fiber class, which unwinds a fiber that it destroys by throwing through the
// kernel's frames. Here the stack is simply reused.
class Fiber {
 public:
  static constexpr const char* kKind = "Boost.Context";

  void prepare(const Stack& stack, void (*main)()) {
    const auto bytes = static_cast<std::size_t>(stack.top - stack.low);
    context_ = boost::context::detail::make_fcontext(stack.top, bytes, &enter);
    main_ = main;
  }

  static void switch_to(Fiber& from, Fiber& to) {
    Pair pair{&from, &to};
    arrived(boost::context::detail::jump_fcontext(to.context_, &pair));
  }

  // Between two barriers a block touches all its stacks, which are more than the L1 cache holds. From the context
  // upward are the saved registers, the emulator's frame and what the kernel keeps across the barrier.
  void expect() const {
    constexpr std::size_t kLine = 64, kLines = 5;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLines; ++i) __builtin_prefetch(static_cast<const std::byte*>(context_) + i * kLine);
  }

 private:
  struct Pair {
    Fiber* from;
    Fiber* to;
  };

  static const Pair& arrived(boost::context::detail::transfer_t came) {
    const auto& pair = *static_cast<const Pair*>(came.data);
    pair.from->context_ = came.fctx;
    return pair;
  }
  static void enter(boost::context::detail::transfer_t came) { arrived(came).to->main_(); }

  boost::context::detail::fcontext_t context_ = nullptr;
  void (*main_)() = nullptr;
};

}  // namespace cairn::emu
