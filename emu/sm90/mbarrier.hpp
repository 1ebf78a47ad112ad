// The barriers in a block's shared memory that count arrivals and bytes. Their state is here, found by the address of
// the 8 bytes, which themselves are never looked at.
//
// A phase ends by itself when its arrivals are there and it expects no bytes. One that does expect bytes ends when a
// thread waits for it, and the copies that bring them land then, not before: whoever looks without a wait finds
// poison.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emu/sm90/cluster.hpp"

namespace cairn::emu {

class Block;
struct Thread;

struct Mbarrier {
  const void* address = nullptr;
  std::size_t place = 0;         // the same in every block (emu/machine/shared_memory.hpp)
  unsigned number = 0;           // in its block, from 0
  unsigned arrivals = 0;         // that a phase takes
  unsigned missing = 0;          //   and that have not come
  std::uint64_t expected = 0;    // bytes of the phase
  std::uint64_t coming = 0;      //   and those that copies under way will bring
  std::uint32_t phase = 0;       // so many have ended
  std::uint32_t waited_for = 0;  //   and of so many somebody knows
  bool ready = false;            // copies and other blocks may know of it
  unsigned maker = 0;            // the thread that initialised it
  Site made;
  std::vector<BulkLoad> loads;  // under way
  std::vector<Thread*> waiting;
  // The last that each block of the cluster sent, and in which phase.
  struct Visit {
    bool was = false;
    Sender from;
    std::uint32_t phase = 0;
  };
  std::vector<Visit> visits;  // by rank; empty if there are none

  bool only_bytes_missing() const { return missing == 0; }
};

// One block's. All calls are made by its fibers.
class Mbarriers {
 public:
  explicit Mbarriers(Block& block) : block_(block) {}
  void reset();  // a new block begins

  void init(void* address, unsigned arrivals);
  void ready();  // those that the calling thread has initialised
  void arrive(const void* address, std::uint64_t bytes);
  void wait(const void* address, unsigned parity);
  void load(const void* address, BulkLoad load);
  // What another block has sent.
  void receive(Message& message);

  const Mbarrier* find(const void* address) const;
  // A barrier for which copies are under way or bytes are expected, or to which another block has come and nobody has
  // waited for it: not even at the cluster's barrier, which this block has passed `meetings` times. Null if all is
  // well when the block ends.
  const Mbarrier* unfinished() const;
  const Mbarrier* visited(std::uint32_t meetings, const Sender*& by) const;

 private:
  Mbarrier& use(const void* address);
  void arrive(Mbarrier& barrier, std::uint64_t bytes, const Sender* from);
  void add(Mbarrier& barrier, BulkLoad load, const Sender* from);
  void visit(Mbarrier& barrier, const Sender& from);
  void advance(Mbarrier& barrier);
  void land(Mbarrier& barrier);
  void end_phase(Mbarrier& barrier);
  void wake(Mbarrier& barrier);

  Block& block_;
  std::deque<Mbarrier> all_;  // their places do not change
  unsigned last_ = 0;         // the one asked for last
};

}  // namespace cairn::emu
