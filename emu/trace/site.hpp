// A place in kernel code, as a number that is cheap to keep: where the access returns to, counted from the start of
// the image. What line of the source that is, is looked up when somebody asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/trace.hpp"

namespace cairn::emu {

using SiteId = std::uint32_t;

SiteId site_of(const void* return_address);

// A path as reports show it: from the root of the tree where it is in it.
std::string shown(std::string path);

// The places of many sites, in order, by the line tables of the image. What cannot be found out has line 0.
std::vector<Place> places_of(const std::vector<SiteId>& sites);

}  // namespace cairn::emu
