// Where the OS threads leave what they saw, and where it is turned into a Trace.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "emu/machine/builtins.hpp"
#include "emu/machine/launch.hpp"
#include "emu/trace.hpp"
#include "emu/trace/access_history.hpp"

namespace cairn::emu {

// What one place in the code has done.
struct SiteStats {
  bool shared = false, store = false, atomic = false;
  bool copy = false;                                               // half of an asynchronous one
  std::uint64_t requests = 0, cost = 0, conflicts = 0, bytes = 0;  // cost: sectors, or wavefronts
  unsigned worst = 0;
  Request worst_request;
  uint3 worst_block{};
  unsigned worst_warp = 0;
};

// The products of tiles of one place.
struct Products {
  SiteId site = 0;
  std::uint64_t instructions = 0, flops = 0;
};

// What the copy engine has done for one place.
struct Bulk {
  SiteId site = 0;
  Counters counters;
};

// A fault, before the places have been looked up.
struct Caught {
  Fault fault = Fault::race;
  SiteId site = 0, other = 0;          // `other` 0: there is none
  std::string before, between, after;  // before <site> between <other> after
};

void begin_collecting(const TraceSettings& settings);
bool detectors_on();

// Returns the number of the launch's first block, less one: that one stands for "several blocks of this launch".
BlockId open_launch(const Launch& launch);
void close_launch(const Launch& launch, const char* failure);
BlockId launch_blocks();  // of the open launch: what open_launch() returned

// An atomic step of a block on a word: the block, which is behind those in `behind`, is now behind all blocks that
// did one there before, and behind whom these were. Gives those of them that are not in `behind`. A block counts as a
// whole, so that what it does after such a step counts as done before it: a race with that is missed.
std::vector<BlockId> hand_on(std::uintptr_t address, BlockId block, const std::unordered_set<BlockId>& behind);

void add_stats(SiteId site, const SiteStats& stats);
void add_barrier(const Site& site);
void add_products(const Products& products);
void add_bulk(const Bulk& bulk);
void add_caught(Caught caught);
// A place that the source itself told, as a site that looks up to it.
SiteId site_of(const Site& site);
// An asynchronous copy's own place is that of its load; this stands for its store, at the same place.
SiteId target_of_copy(SiteId site);
// The same for a file and a line that the compiler wrote into the code.
SiteId site_of(const char* file, unsigned line);

void take_trace(Trace& out);

}  // namespace cairn::emu
