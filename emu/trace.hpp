// What the traced emulator has recorded, as plain data, so that it can be passed out of its shared object. Counters
// are named as in Nsight Compute. They count the source as written, not what nvcc merges or removes; those that begin with
// merged_ count what it may merge.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emu/analysis.hpp"
#include "emu/emulator.hpp"

namespace cairn::emu {

struct Counters {
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;  // bytes requested
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_bank_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_bank_conflicts = 0;
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
  // The shared loads once more, merged (emu/trace/merged_loads.hpp): 0 unless TraceSettings asks for them.
  std::uint64_t merged_shared_load_requests = 0, merged_shared_load_wavefronts = 0;
  std::uint64_t merged_shared_load_bank_conflicts = 0;
  std::uint64_t barriers = 0;  // one for all threads of a block
  std::uint64_t atomics = 0;   // requests of warps
  // cp.async: part of the global loads above. Its writes are part of the shared stores.
  std::uint64_t async_copy_requests = 0, async_copy_sectors = 0;
  // TMA: one instruction is one request, and its bytes are those of the full box. Its accesses of global memory are
  // part of the global loads and stores above; its accesses of shared memory are not counted elsewhere.
  std::uint64_t tma_load_requests = 0, tma_load_sectors = 0, tma_load_bytes = 0;
  std::uint64_t tma_store_requests = 0, tma_store_sectors = 0, tma_store_bytes = 0;
  // Tensor-core instructions as the hardware has them: an mma.sync has 16 x 8 accumulators; a wgmma counts as one. A
  // multiply-add is two FLOPs.
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
  std::string file;  // relative to the root of the tree, if it is in it
  int line = 0;
  std::string function;
};

struct LineCounters {
  Place place;
  Counters counters;
  // The request of this line with the most sectors (global) or wavefronts (shared).
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
  register_array,  // an index past the end of an array of known size, such as one in registers
  uninitialized,   // a read of memory that was never written
  barrier,         // some threads never arrive
  absent_lane,     // a shuffle from a lane that the mask names and that has returned or never existed
  unwritten,       // output that no thread wrote
  failed,          // anything else that ended the launch
  late_use         // shared memory of a block is used as the block ends or after it
};
const char* name(Fault fault);  // "race", "out-of-bounds" …

struct Finding {
  Fault fault = Fault::race;
  std::string kernel;
  std::string what;    // one sentence, both parties with file and line
  Place place, other;  // of the access that was reported, and of the other one if there is one
  std::uint64_t times = 0;
};

struct Trace {
  std::vector<KernelTrace> kernels;  // in the order of their first launch
  std::vector<Finding> findings;     // the first of each kind and place
};

struct TraceSettings {
  bool detectors = true;      // races, bounds, initialization; counters are always on
  bool merged_loads = false;  // but for those of merged loads
  bool shapes_apart = false;  // a KernelTrace for each grid and block that a kernel is launched with
};

// The traced build: the same table, and access to the trace.
struct TracedEntry {
  Entry emulator;
  void (*begin)(const TraceSettings& settings);  // starts a new trace
  // The trace since begin(). Looks up places in the source, which takes a moment.
  void (*take)(Trace& out);
  // Bytes of device memory that neither a copy nor a kernel has written, as ranges within [pointer, pointer + bytes).
  std::uint64_t (*unwritten)(const void* pointer, std::size_t bytes, std::uint64_t* first);
};

}  // namespace cairn::emu

extern "C" const cairn::emu::TracedEntry* cairn_emu_traced(void);
