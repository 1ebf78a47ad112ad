// Asynchronous copies (cp.async): for each thread of a block, the copies it has issued and not yet waited for.
//
// A copy is done as late as the program permits: when the thread that issued it waits for its group. Only then is the
// source read. Until then the target holds poison (0xff), so a wait that is missing or waits for too few groups shows
// in the result. A copy that is never waited for is never done.
//
// A copy tied to a barrier (cuda::barrier) is in no group: the barrier keeps it until a thread waits for its phase
// (emu/sm90/mbarrier.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

struct AsyncCopy {
  void* to;
  const void* from;
  std::uint32_t group;        // the thread's groups are numbered from 0
  std::uint8_t bytes, valid;  // 4, 8 or 16; how many of them are read, the rest is zeros
  Site site;
};

struct Mbarrier;

// A copy is issued: its target is poison from now on. It completes: by a wait of the thread that issued it, or by a
// wait for the phase of `barrier`.
void begin_copy(const AsyncCopy& copy);
void finish_copy(const AsyncCopy& copy, const Mbarrier* barrier);

class AsyncCopies {
 public:
  void reset();  // a new block begins

  void issue(unsigned thread, void* to, const void* from, int bytes, int valid, const Site& site);
  void commit(unsigned thread);
  // Completes all groups of the thread, in order, but the newest `left`.
  void wait(unsigned thread, unsigned left);

 private:
  struct Queue {
    std::vector<AsyncCopy> copies;  // in flight, oldest first
    std::uint32_t group = 0;        // of the next copy
  };
  Queue& of(unsigned thread);

  std::vector<Queue> queues_;  // by thread; empty until a kernel uses cp.async
  bool used_ = false;          // since the last reset
};

}  // namespace cairn::emu
