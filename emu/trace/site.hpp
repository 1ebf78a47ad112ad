// A site: a place in kernel code as a small number, the return address of the call before an access, relative to the
// image. Its line in the source is looked up later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/trace.hpp"

namespace cairn::emu {

using SiteId = std::uint32_t;

SiteId site_of(const void* return_address);

// A path as reports show it: relative to the root of the tree, if it is in it.
std::string shown(std::string path);

// The places of many sites, in order, by the image's line tables (addr2line). Line 0: unknown.
std::vector<Place> places_of(const std::vector<SiteId>& sites);

}  // namespace cairn::emu
