// What still uses a block's shared memory as the block ends: another block that arrives at one of its mbarriers, or a
// store of TMA that has not read its source. PTX allows neither, since the memory may be another block's by then.
#pragma once

#include <string>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

class Block;

// Whole programs set it before main(): public kernels do so, and on a GPU it works most of the time. Their launches go
// on, and a traced build reports a finding. Elsewhere the launch fails.
extern bool late_uses_are_tolerated;

// What is said: before, the place where the memory is used, after.
struct LateUse {
  std::string before;
  Site place;
  std::string after;
};
void late_use(Block& block, const LateUse& use);

}  // namespace cairn::emu
