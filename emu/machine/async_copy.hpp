// Asynchronous copies (cp.async): for each thread of a block, what it has issued and not yet waited for.
//
// A copy lands as late as the program permits: when a wait of the thread that issued it demands it, and not before.
// Only then is its source read. Until then its target holds poison, so a wait that is missing or asks for too little
// shows in the result. What nobody waits for never lands.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

struct AsyncCopy {
  void* to;
  const void* from;
  std::uint32_t group;        // of its thread, counted from 0
  std::uint8_t bytes, valid;  // 4, 8 or 16; how many of them are read, the rest is zeros
  Site site;
};

class AsyncCopies {
 public:
  void reset();  // a new block begins

  void issue(unsigned thread, void* to, const void* from, int bytes, int valid, const Site& site);
  void commit(unsigned thread);
  // All groups of the thread land, in order, but the newest `left`.
  void wait(unsigned thread, unsigned left);

 private:
  struct Queue {
    std::vector<AsyncCopy> copies;  // in flight, oldest first
    std::uint32_t group = 0;        // that the next copy belongs to
  };
  Queue& of(unsigned thread);

  std::vector<Queue> queues_;  // by thread; empty as long as no kernel copies like this
  bool used_ = false;          // since the last reset
};

}  // namespace cairn::emu
