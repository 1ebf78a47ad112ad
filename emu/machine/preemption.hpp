// A thread that polls memory with plain loads calls nothing that would let others run, and the one it waits for may
// be another thread of its block. So a timer interrupts the OS thread now and then, and if one thread of the block
// has run all the while, the others get their turn. The traced build does not need this: it sees volatile loads, and
// must not be interrupted while it takes notes.
#pragma once

namespace cairn::emu {

// Lives as long as the calling OS thread runs blocks.
class Preempt {
 public:
  Preempt();
  ~Preempt();
  Preempt(const Preempt&) = delete;
  Preempt& operator=(const Preempt&) = delete;
};

}  // namespace cairn::emu
