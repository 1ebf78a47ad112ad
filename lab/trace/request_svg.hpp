// Pictures of one request, as SVG that stands inside a page and takes its colours from the page's style.
#pragma once

#include <array>
#include <string>

#include "emu/analysis.hpp"

namespace cairn::lab::trace {

// When each lane is served by its bank: 0 at once, 1 after one other word, and so on. -1 for a lane that asks
// nothing. Worked out by asking emu::wavefronts, so that the picture follows whatever rule the counters follow.
std::array<int, 32> turns(const emu::Request& request);

// Lanes down, banks across: which lane asks which bank, and at which turn it is served; below it how many different
// words each bank has to deliver.
std::string bank_picture(const emu::Request& request);

// Lanes on the left, the lines of 128 bytes they touch on the right, in sectors of 32: those that move, and in them
// the bytes that were asked for.
std::string sector_picture(const emu::Request& request);

// Text as HTML and SVG want it.
std::string escaped(std::string_view text);

}  // namespace cairn::lab::trace
