// Where a build that traces listens to the emulator. In the plain build nobody does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

class Block;
struct AsyncCopy;
struct BulkLoad;
struct BulkStore;
struct Mbarrier;
struct Sender;
struct Launch;

struct TraceHooks {
  void (*launch_begins)(const Launch& launch);
  void (*launch_ends)(const Launch& launch, const char* failure);  // null: it went well
  // Around the run of a block, on the OS thread that runs it.
  void (*block_begins)(Block& block);
  void (*block_ends)(Block& block);
  // The calling thread is at a fence.
  void (*fence)(Block& block);
  // The calling thread comes to a barrier and does not wait.
  void (*arrives)(Block& block, unsigned barrier);
  // All who were to come to a barrier have; of these warps (a bit each) threads wait, and none has gone on yet.
  void (*warps_meet)(Block& block, unsigned barrier, std::uint32_t waiting, const Site& site);
  // Lanes of a warp have met in a collective, none has gone on.
  void (*lanes_meet)(Block& block, unsigned warp, std::uint32_t lanes);
  // The calling thread is about to alter memory in one step.
  void (*atomic)(const void* address, std::size_t bytes, const char* call, const Site& site);
  // Device memory came, went, or was written from the host.
  void (*allocated)(const void* start, std::size_t bytes);
  void (*released)(const void* start);
  void (*written)(const void* start, std::size_t bytes);
  // The calling thread is about to issue an asynchronous copy; one of its copies has landed.
  void (*copy_issued)(const AsyncCopy& copy);
  void (*copy_landed)(const AsyncCopy& copy);
  // The calling thread gives ldmatrix the address of a row of 16 bytes, and meets the other lanes next; or it is
  // about to store a row of stmatrix, and has met them.
  void (*matrix_row)(const void* row, bool store, const Site& site);
  // A warp, the calling thread's, has multiplied tiles.
  void (*multiplied)(const Multiply& what, const Site& site);
  // All threads of a warpgroup, the calling thread's, have come to a wait, its products are made, and none has gone
  // on.
  void (*group_meets)(Block& block);
  // The warpgroup of the calling thread is about to read [start, start + bytes) of shared memory as wgmma's operand:
  // at issue (everything must have arrived, be ordered, and be visible to the async proxy), and again when it is
  // done.
  void (*operand_issued)(const void* start, std::size_t bytes, const Site& site);
  void (*operand_read)(const void* start, std::size_t bytes, const Site& site);
  // Barriers in shared memory. The calling thread initialises one; comes to it; has waited for its last phase. A
  // phase has ended, which the caller need not have waited for. Another block has come to it.
  void (*mbarrier_made)(const Mbarrier& barrier);
  void (*mbarrier_arrives)(const Mbarrier& barrier);
  void (*mbarrier_waited)(const Mbarrier& barrier);
  void (*mbarrier_ends)(const Mbarrier& barrier);
  void (*mbarrier_visited)(const Mbarrier& barrier, const Sender& from);
  // The copy engine. The calling thread asks for a box; it will be written to this block's shared memory, where
  // another block asked for it if `from` is not null; it has been. A store has been issued, and has read its source.
  void (*load_asked)(const BulkLoad& load);
  void (*load_issued)(const BulkLoad& load, const Sender* from);
  void (*load_landed)(const BulkLoad& load, const Mbarrier& barrier);
  void (*store_issued)(const BulkStore& store);
  void (*store_read)(const BulkStore& store);
  // The calling thread makes what it has stored visible to the async proxy.
  void (*proxy_fence)();
  // The calling thread comes to the cluster's barrier; all threads of the block have, and this is their past; all
  // blocks have met there, with these pasts; the calling thread goes on. What it sends to another block carries its
  // past, too.
  void (*cluster_arrives)();
  std::shared_ptr<const void> (*cluster_departs)();
  void (*cluster_heard)(const std::vector<std::shared_ptr<const void>>& clocks);
  void (*cluster_met)();
  std::shared_ptr<const void> (*departs)();
};

extern const TraceHooks* trace_hooks;  // null in the plain build

}  // namespace cairn::emu
