// fork() and the emulator. A child has its parent's memory and one of its threads. If another thread was in the
// emulator, the child finds locks that nobody will release and lists that are half changed, so that the emulator is
// refused there. If none was, the child uses it with OS threads of its own.
#pragma once

#include "cairn/types.hpp"

namespace cairn::emu {

// The calling thread is in the emulator as long as this lives. Every function that takes one of its locks has one.
class InUse {
 public:
  InUse();
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

  // Whether this process is such a child: then no lock may be taken.
  static bool refused();
  static Status refusal();
};

// How many fork()s are between this process and the one that loaded the emulator: what belongs to a process has to be
// made again in a child.
unsigned forks();

}  // namespace cairn::emu
