// An assertion that fails in a kernel ends the launch, not the program.
#pragma once

#include "emu/machine/builtins.hpp"

#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                              \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::cairn::emu::assertion_failed(#condition, ::cairn::emu::Site::current()))
#endif
