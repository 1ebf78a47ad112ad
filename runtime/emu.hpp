// An emulator as a machine, whichever build of it: the plain one is device -2, the traced one the laboratory's own.
#pragma once

#include <memory>

#include "runtime/runtime.hpp"

namespace cairn::emu {
struct Entry;
}

namespace cairn::runtime {

// The entry must outlive the machine.
std::shared_ptr<Machine> make_emulated(const emu::Entry& entry);

}  // namespace cairn::runtime
