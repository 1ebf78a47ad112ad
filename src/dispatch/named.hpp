// Rungs by name, for plans that are to run a certain one: "simt/13", "simt/13_bank_linear" or, with a tile, "simt/22@2".
#pragma once

#include <cstddef>
#include <string_view>

#include "cairn/types.hpp"
#include "kernels/ladder.hpp"

namespace cairn::dispatch {

struct NamedRung {
  const Rung* rung = nullptr;
  int tile = kAnyTile;  // unless the name has one, the rung's card chooses it
};

// The rung of `ladder` that multiplies and whose id alone begins with `name`. No id begins another: they have numbers.
Status find_rung(Ladder ladder, std::string_view name, NamedRung& out);

// The id of the rung at this place of those that multiply; empty past the last. A build has the same ones for a GPU and
// for the emulator, if it has both.
std::string_view rung_id(std::size_t index);

}  // namespace cairn::dispatch
