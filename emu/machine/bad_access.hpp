// A kernel that touches memory that is nobody's ends its launch, as on a GPU, and not the program: the signal is taken
// for the thread that ran, and the launch fails with a report. So does one that divides an integer by zero, for which a
// GPU has a number. For whole programs; a process that has the emulator as a library keeps its signals.
#pragma once

#include <cstddef>
#include <memory>

namespace cairn::emu {

// From now on, in this process.
void heed_bad_accesses();

// What an OS thread needs for it while it runs blocks: a stack for the handler, since that of a fiber may be full.
class AccessGuard {
 public:
  AccessGuard();
  ~AccessGuard();
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

 private:
  std::unique_ptr<std::byte[]> stack_;
};

}  // namespace cairn::emu
