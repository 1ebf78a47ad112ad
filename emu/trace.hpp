// What the traced emulator has seen: plain data, so that it can leave the shared object it was gathered in. Counters
// are named as users of Nsight Compute know them, and are of the source as written: what a GPU's compiler merges or
// drops is not in it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emu/analysis.hpp"
#include "emu/emulator.hpp"

namespace cairn::emu {

struct Counters {
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;  // bytes asked for
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_bank_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_bank_conflicts = 0;
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
  std::uint64_t barriers = 0;  // a block's: one for all its threads
  std::uint64_t atomics = 0;   // requests of a warp
  // Asynchronous copies: a part of the global loads above. Their writes are part of the shared stores.
  std::uint64_t async_copy_requests = 0, async_copy_sectors = 0;
  // The copy engine: one instruction is one request, and its bytes are those of a whole box. What it reads and writes
  // of the matrix is part of the global loads and stores above; what it does to shared memory is part of nothing.
  std::uint64_t tma_load_requests = 0, tma_load_bytes = 0, tma_store_requests = 0, tma_store_bytes = 0;
  // Products of tiles, as many as a GPU makes of them: one mma.sync has 16 x 8 sums, a wgmma is one. A product and
  // its sum are two.
  std::uint64_t mma_instructions = 0, mma_flops = 0;

  Counters& operator+=(const Counters& other);
};

// The counters by the names that JSON and tables use, in the order in which they are shown.
struct CounterName {
  const char* key;  // "global_load_requests"
  std::uint64_t Counters::*value;
};
std::vector<CounterName> counter_names();

// A place in a kernel's source.
struct Place {
  std::string file;  // from the root of the tree where it is ours
  int line = 0;
  std::string function;
};

struct LineCounters {
  Place place;
  Counters counters;
  // The request that took the most sectors (global) or wavefronts (shared) of all that this line made.
  Request worst_global, worst_shared;              // no lanes: it made none
  std::string worst_global_who, worst_shared_who;  // "block (0,0,0), warp 3"
};

struct KernelTrace {
  std::string name;
  std::array<unsigned, 3> grid = {}, block = {};
  std::uint64_t launches = 0;
  Counters counters;                // of all lines, barriers included
  std::vector<LineCounters> lines;  // by file and line
};

enum class Fault : std::uint8_t {
  race,            // two threads, one of them writing, and nothing that orders them
  out_of_bounds,   // outside every allocation, or past a shared array
  misaligned,      // an address that is no multiple of the access's size
  register_array,  // an index past the end of an array whose size the compiler knows, as those in registers are
  uninitialized,   // a read of memory that nobody wrote
  barrier,         // some threads do not come
  unwritten,       // output that no thread wrote
  failed           // anything else that ended the launch
};
const char* name(Fault fault);  // "race", "out-of-bounds" …

struct Finding {
  Fault fault = Fault::race;
  std::string kernel;
  std::string what;    // one sentence, both parties with file and line
  Place place, other;  // of the one that was caught, and of its counterpart if there is one
  std::uint64_t times = 0;
};

struct Trace {
  std::vector<KernelTrace> kernels;  // in the order of their first launch
  std::vector<Finding> findings;     // the first of each kind and place
};

struct TraceSettings {
  bool detectors = true;  // races, bounds, initialization; counters are always on
};

// The traced build beside the plain one: the same table, and what was seen.
struct TracedEntry {
  Entry emulator;
  void (*begin)(const TraceSettings& settings);  // forgets what was seen
  // What was seen since begin(); the places of the source are looked up here, which takes a moment.
  void (*take)(Trace& out);
  // Bytes of device memory that neither a copy nor a kernel has written, as ranges within [pointer, pointer + bytes).
  std::uint64_t (*unwritten)(const void* pointer, std::size_t bytes, std::uint64_t* first);
};

}  // namespace cairn::emu

extern "C" const cairn::emu::TracedEntry* cairn_emu_traced(void);
