// An emulator as a machine: the plain build is device -2, and the laboratory opens the traced build through this.
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
