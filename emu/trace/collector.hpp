// Collects what the tracers of all OS threads have recorded, and turns it into a Trace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "emu/machine/builtins.hpp"
#include "emu/machine/launch.hpp"
#include "emu/trace.hpp"
#include "emu/trace/access_history.hpp"

namespace cairn::emu {

// The requests of one site.
struct SiteStats {
  bool shared = false, store = false, atomic = false;
  bool copy = false;                                               // the load or the store of an asynchronous copy
  std::uint64_t requests = 0, cost = 0, conflicts = 0, bytes = 0;  // cost: sectors, or wavefronts
  std::uint64_t merged_requests = 0, merged_cost = 0, merged_conflicts = 0;
  unsigned worst = 0;
  Request worst_request;
  uint3 worst_block{};
  unsigned worst_warp = 0;
};

// The mma and wgmma instructions of one site.
struct Products {
  SiteId site = 0;
  std::uint64_t instructions = 0, flops = 0;
};

// The TMA instructions of one site.
struct TmaCounters {
  SiteId site = 0;
  Counters counters;
};

// A finding, before the places of its sites have been looked up.
struct RawFinding {
  Fault fault = Fault::race;
  SiteId site = 0, other = 0;          // `other` is 0 if there is none
  std::string before, between, after;  // the text is: before <site> between <other> after
};

void begin_collecting(const TraceSettings& settings);
bool detectors_on();
bool merged_loads_wanted();

// Returns the number of the launch's first block, less one, which stands for "several blocks of this launch".
BlockId open_launch(const Launch& launch);
void close_launch(const Launch& launch, const char* failure);
void number_blocks_from(BlockId next);  // of the next launch: this one has used more numbers than it has blocks
BlockId launch_blocks();                // of the open launch: what open_launch() returned

// An atomic access of a block, with release and acquire semantics between blocks. `predecessors` are the blocks
// that happen before this one. Returns the further blocks that do so now: those that have accessed the word
// atomically, and their predecessors. A block counts as a whole: what a block does after its atomic counts as
// before it, so that a race with that is missed.
std::vector<BlockId> release_and_acquire(std::uintptr_t address, BlockId block,
                                         const std::unordered_set<BlockId>& predecessors);

void add_stats(SiteId site, const SiteStats& stats);
void add_barrier(const Site& site);
void add_products(const Products& products);
void add_tma(const TmaCounters& tma);
void add_finding(RawFinding caught);
// The site of a place that is already known as a source location.
SiteId site_of(const Site& site);
// An asynchronous copy has two sites at the same place: its own is that of the load, this is that of the store.
SiteId target_of_copy(SiteId site);
// The same for a file and a line that the compiler has written into the code.
SiteId site_of(const char* file, unsigned line);

void take_trace(Trace& out);

// While one lives, what is launched leaves no counters and no findings.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace cairn::emu
