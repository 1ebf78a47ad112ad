// A thread that polls memory with plain loads never calls the emulator, and may wait for another thread of its
// own block. So a timer interrupts the OS thread, and if the same thread of the block has run since the last
// tick, another one is scheduled. The traced build has no timer: it sees volatile loads, and must not be
// interrupted while it logs an access.
#pragma once

#include <cstdint>

namespace cairn::emu {

// The timer of the calling OS thread, for as long as it runs blocks.
class PreemptionTimer {
 public:
  PreemptionTimer();
  ~PreemptionTimer();
  PreemptionTimer(const PreemptionTimer&) = delete;
  PreemptionTimer& operator=(const PreemptionTimer&) = delete;
};

// The instruction at which a signal found its thread: of the third argument of its handler.
std::uintptr_t interrupted_at(const void* context);

}  // namespace cairn::emu
