// After every launch, a checksum of each allocation that it changed.
#pragma once

#include <vector>

#include "emu/machine/launch.hpp"
#include "emu/program/snapshot.hpp"
#include "emu/program/wire.hpp"

namespace cairn::emu::program {

// Of bytes alone, not of where they are: the same for the same contents in every run. FNV-1a over words of 8 bytes, the
// last one filled up with zeros.
std::uint64_t checksum(const std::vector<unsigned char>& bytes);

// What is different in memory now from what it was.
std::vector<Change> changes_since(const Snapshot& before);

Launched launched(const Launch& launch, const Snapshot& before);

}  // namespace cairn::emu::program
