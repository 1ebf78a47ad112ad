#include "emu/sm90/late_use.hpp"

#include "emu/machine/block.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

bool late_uses_are_tolerated = false;

void late_use(Block& block, const LateUse& use) {
  if (!late_uses_are_tolerated) block.fail(use.before + describe(use.place) + use.after);
  if (trace_hooks != nullptr) trace_hooks->used_late(block, use);
}

}  // namespace cairn::emu
