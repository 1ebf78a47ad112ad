// Pictures of one request, as inline SVG whose colours come from the page's style.
#pragma once

#include <array>
#include <string>

#include "emu/analysis.hpp"

namespace cairn::lab::trace {

// The wavefront in which each lane is served by its bank, from 0; -1 for an inactive lane. Computed by
// emu::wavefronts, so that the picture follows the same rule as the counters.
std::array<int, 32> turns(const emu::Request& request);

// Lanes as rows, banks as columns: which bank each lane reads, and in which wavefront; below, how many
// different words each bank delivers.
std::string bank_picture(const emu::Request& request);

// Lanes on the left; on the right the cache lines of 128 bytes they access, with the 32-byte sectors that are
// transferred and the bytes that were requested.
std::string sector_picture(const emu::Request& request);

}  // namespace cairn::lab::trace
