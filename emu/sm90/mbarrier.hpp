// mbarriers: barriers in a block's shared memory that count arrivals and bytes. Their state is kept here, by the
// address of the 8 bytes, which are never read themselves.
//
// A phase that expects no bytes completes with its last arrival. A phase that expects bytes completes when a thread
// waits for it, and only then are its TMA loads done: a thread that reads without waiting finds poison. The same holds
// for a phase to which threads have tied copies of their own, as cuda::memcpy_async does.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emu/machine/async_copy.hpp"
#include "emu/sm90/cluster.hpp"

namespace cairn::emu {

class Block;
struct Thread;

struct Mbarrier {
  const void* address = nullptr;
  std::size_t offset = 0;        // in shared memory, the same in every block
  unsigned number = 0;           // of the mbarrier in its block, from 0
  unsigned arrivals = 0;         // of a phase
  unsigned missing = 0;          //   of these, not yet arrived
  std::uint64_t expected = 0;    // bytes of this phase (expect_tx)
  std::uint64_t in_flight = 0;   //   bytes of the loads in flight
  std::uint32_t phase = 0;       // completed phases
  std::uint32_t waited_for = 0;  //   of these, seen by a wait
  bool ready = false;            // fence_mbarrier_init was called: TMA and other blocks may use it
  unsigned init_thread = 0;      // the thread that initialized it
  Site init_site;
  std::vector<TmaLoad> loads;     // in flight
  std::vector<AsyncCopy> copies;  // in flight, tied to this phase
  bool gone = false;              // invalidated: its address may hold another one
  std::vector<Thread*> waiting;
  // The last arrival or load of each other block of the cluster, and its phase.
  struct RemoteUse {
    bool was = false;
    Sender from;
    std::uint32_t phase = 0;
  };
  std::vector<RemoteUse> remote_uses;  // by rank; empty until there is one

  bool only_bytes_missing() const { return missing == 0; }
};

// The mbarriers of one block. All calls are made by its fibers.
class Mbarriers {
 public:
  explicit Mbarriers(Block& block) : block_(block) {}
  void reset();  // a new block begins

  void init(void* address, unsigned arrivals);
  void ready();  // those that the calling thread has initialized
  void init_once(void* address, unsigned arrivals);
  void invalidate(const void* address);
  // These return the phase in which the thread arrives. `drop`: the next phases have one arrival less.
  std::uint32_t arrive(const void* address, std::uint64_t bytes);
  std::uint32_t arrive(const void* address, unsigned count, bool drop);
  void wait(const void* address, unsigned parity);
  bool test(const void* address, unsigned parity);  // whether a wait would return at once
  void load(const void* address, TmaLoad load);
  void copy(const void* address, const AsyncCopy& copy);  // the phase does not complete before the copy
  // Handles what another block has sent.
  void receive(Message& message);

  const Mbarrier* find(const void* address) const;
  // Checks when the block ends; null if all is well. unfinished(): an mbarrier with loads in flight or bytes
  // expected. awaiting_remote(): one that another block has used, while this block neither waited for that phase nor
  // passed a later phase of the cluster's barrier (`phase` of them are complete).
  const Mbarrier* unfinished() const;
  const Mbarrier* awaiting_remote(std::uint32_t phase, const Sender*& by) const;

 private:
  Mbarrier& use(const void* address);
  void arrive(Mbarrier& barrier, unsigned count, std::uint64_t bytes, const Sender* from);
  void add(Mbarrier& barrier, TmaLoad load, const Sender* from);
  void note_remote_use(Mbarrier& barrier, const Sender& from);
  void advance(Mbarrier& barrier);
  bool complete(Mbarrier& barrier, unsigned parity);
  void land(Mbarrier& barrier);
  void end_phase(Mbarrier& barrier);
  void wake(Mbarrier& barrier);

  Block& block_;
  std::deque<Mbarrier> all_;  // a deque, so that references stay valid
  unsigned last_ = 0;         // the one used last
};

}  // namespace cairn::emu
