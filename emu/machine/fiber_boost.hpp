// Fibers by Boost.Context; what the functions do is said in emu/machine/fiber.hpp.
#pragma once

#include <cstddef>

#include <boost/context/detail/fcontext.hpp>

#include "emu/machine/fiber_stack.hpp"

namespace cairn::emu {

// On Boost's fcontext level, not its fiber class: that one unwinds a fiber it destroys by throwing through the
// kernel's frames, where we only want the stack back.
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

  // Between two barriers a block goes through all its stacks, more than the first cache holds. From the context
  // upward lie the saved registers, the emulator's frame and what the kernel keeps across the barrier.
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
