// Accesses past the end of a local array through a pointer, where no index tells. g++'s -fstack-protector-strong puts a
// guard above the local arrays of a function: whoever reads or writes it has gone past their end. A write that is not
// traced, such as memset's, is found when the function returns. What goes from one array of a function into another
// is missed.
#include <cstdio>
#include <cstdlib>
#include <unwind.h>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

// The stack frame that holds an address.
struct Frame {
  std::uintptr_t address, low = 0, high = 0;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* frame) {
  auto& sought = *static_cast<Frame*>(frame);
  const std::uintptr_t edge = _Unwind_GetCFA(context);
  (edge <= sought.address ? sought.low : sought.high) = edge;
  return sought.high == 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

// Functions that have returned leave their guards behind, where others may now have their arrays. The guard of a function
// is the highest in its frame.
void Tracer::check_guard(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
  if (!detect_) return;
  std::uintptr_t guard = address & ~std::uintptr_t{7};
  const auto is_guard = [](std::uintptr_t at) { return *reinterpret_cast<const std::uint64_t*>(at) == kGuard; };
  if (!is_guard(guard)) guard += 8;
  Frame frame{guard};
  (void)_Unwind_Backtrace(look, &frame);
  if (frame.low == 0 || frame.high == 0) return;
  for (std::uintptr_t above = guard + 8; above < frame.high; above += 8)
    if (is_guard(above)) return;
  stop({Fault::out_of_bounds, site_at(return_address), 0,
        who() + (store ? ": a store of " : ": a load of ") + std::to_string(bytes) +
            " bytes past the end of a local array, at ",
        "", ""});
}

void Tracer::local_array_smashed(const void* return_address) {
  stop({Fault::out_of_bounds, site_at(return_address), 0,
        who() + ": has written past the end of a local array of the function that ends at ", "", ""});
}

}  // namespace cairn::emu

extern "C" {

extern const std::uint64_t __stack_chk_guard;
const std::uint64_t __stack_chk_guard = cairn::emu::kGuard;

[[noreturn]] void __stack_chk_fail() {
  if (cairn::emu::Tracer* tracer = cairn::emu::Tracer::current; tracer != nullptr)
    tracer->local_array_smashed(__builtin_return_address(0));
  std::fputs("cairn: host code has written past the end of a local array\n", stderr);
  std::abort();
}

}  // extern "C"
