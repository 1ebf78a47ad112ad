// What the emulator tells a traced build. In the plain build there are no hooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

class Block;
struct Thread;
struct AsyncCopy;
struct TmaLoad;
struct TmaStore;
struct Mbarrier;
struct Sender;
struct Launch;
struct LateUse;

struct TraceHooks {
  void (*launch_begins)(const Launch& launch);
  void (*launch_ends)(const Launch& launch, const char* failure);  // null if it succeeded
  // Before and after a block runs, on its OS thread.
  void (*block_begins)(Block& block);
  void (*block_ends)(Block& block);
  // The calling thread executes a memory fence.
  void (*fence)(Block& block);
  // The calling thread arrives at a barrier without waiting (bar.arrive).
  void (*arrives)(Block& block, unsigned barrier);
  // A barrier is complete. `waiting` has a bit for each warp with threads that wait there; none has continued yet.
  void (*warps_synchronize)(Block& block, unsigned barrier, std::uint32_t waiting, const Site& site);
  // Lanes of a warp have all arrived at a collective; none has continued yet.
  void (*lanes_synchronize)(Block& block, unsigned warp, std::uint32_t lanes);
  // A lane takes the value of one that the mask of its shuffle names, and that has returned or never existed.
  void (*source_absent)(Block& block, const Thread& reader);
  // The calling thread is about to execute an atomic.
  void (*atomic)(const void* address, std::size_t bytes, const char* call, const Site& site);
  // The same for an atomic load or store, which does not both read and write.
  void (*relaxed)(const void* address, std::size_t bytes, bool store, const Site& site);
  // Device memory was allocated, freed, or written by the host.
  void (*allocated)(const void* start, std::size_t bytes);
  void (*released)(const void* start);
  void (*written)(const void* start, std::size_t bytes);
  // cp.async: the calling thread is about to issue a copy; one of its copies is complete, or, if `barrier` is not
  // null, a copy of any thread that is tied to that barrier.
  void (*copy_issued)(const AsyncCopy& copy);
  void (*copy_landed)(const AsyncCopy& copy, const Mbarrier* barrier);
  // A row of 16 bytes. ldmatrix: the calling thread passes its address, and synchronizes with the other lanes next.
  // stmatrix: it is about to store the row, after it has synchronized with them.
  void (*matrix_row)(const void* row, bool store, const Site& site);
  // The calling thread's warp has executed mma, or its warpgroup wgmma.
  void (*mma_executed)(const Multiply& what, const Site& site);
  // All threads of the calling thread's warpgroup have arrived at wgmma_wait, and none has continued yet.
  void (*warpgroup_synchronizes)(Block& block);
  // wgmma reads [start, start + bytes) of shared memory. Called twice: when it is issued (by then the data must be
  // complete, ordered before it, and visible to the async proxy), and when it is complete.
  void (*operand_issued)(const void* start, std::size_t bytes, const Site& site);
  void (*operand_read)(const void* start, std::size_t bytes, const Site& site);
  // mbarriers. The calling thread initializes one; ties a copy to it; arrives at it; has waited for its last completed
  // phase. A phase is complete (the calling thread need not have waited for it). Another block has arrived at it.
  void (*mbarrier_initialized)(const Mbarrier& barrier);
  void (*mbarrier_used)(const Mbarrier& barrier);
  void (*mbarrier_arrives)(const Mbarrier& barrier);
  void (*mbarrier_waited)(const Mbarrier& barrier);
  void (*mbarrier_phase_completed)(const Mbarrier& barrier);
  void (*mbarrier_remote_arrival)(const Mbarrier& barrier, const Sender& from);
  // TMA. The calling thread issues a load; a box begins to be written to this block's shared memory (a multicast of
  // another block if `from` is not null), and has been written. A store is issued, and has read its source.
  void (*tma_load_issued)(const TmaLoad& load);
  void (*tma_write_begins)(const TmaLoad& load, const Sender* from);
  void (*tma_write_ends)(const TmaLoad& load, const Mbarrier& barrier);
  void (*tma_store_issued)(const TmaStore& store);
  void (*tma_store_read)(const TmaStore& store);
  // The calling thread executes fence.proxy.async.
  void (*proxy_fence)();
  // The cluster's barrier: the calling thread arrives; all threads of the block have, and this is their vector clock;
  // the phase is complete, with these clocks of all blocks; the calling thread continues. Last: the vector clock of
  // the calling thread, for a message to another block.
  void (*cluster_arrival)();
  std::shared_ptr<const void> (*cluster_release)();
  void (*cluster_phase_completed)(const std::vector<std::shared_ptr<const void>>& clocks);
  void (*cluster_acquire)();
  std::shared_ptr<const void> (*release_clock)();
  // The shared memory of a block is used as the block ends or after it, in a launch that goes on all the same.
  void (*used_late)(Block& block, const LateUse& use);
  // The grid's barrier is complete: what any block did before it happens before what this block does now. No thread
  // of the block has continued yet.
  void (*grid_synchronized)(Block& block);
};

extern const TraceHooks* trace_hooks;  // null in the plain build

}  // namespace cairn::emu
