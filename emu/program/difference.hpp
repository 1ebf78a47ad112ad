// How far what two launches wrote is apart.
#pragma once

#include <vector>

#include "emu/program/snapshot.hpp"
#include "emu/program/wire.hpp"

namespace cairn::emu::program {

// What a launch wrote to an allocation, and what it left there.
struct Output {
  Contents after;
  std::vector<bool> written;  // for each byte
};

// Of two allocations of equal size, a whole number of elements. An element counts as written if any of its bytes is.
Difference difference(const Output& first, const Output& second, Element type);

}  // namespace cairn::emu::program
