// What kernel code calls of cuda::barrier, of the block-wide cuda::pipeline and of the older names for them: mbarriers
// that any thread's own copies can be tied to. `call` is the name that reports use.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

void barrier_init(void* barrier, std::ptrdiff_t arrivals, const char* call, Site site);
void barrier_invalidate(const void* barrier, const char* call, Site site);

// Returns the number of the phase in which it arrives. `drop`: the next phases have one arrival less.
std::uint32_t barrier_arrive(const void* barrier, std::ptrdiff_t arrivals, bool drop, const char* call, Site site);
// Arrives once, with bytes of TMA's that the phase expects.
std::uint32_t barrier_arrive_tx(const void* barrier, std::size_t bytes, Site site);
// Waits until the phase of this parity, or number, is complete. barrier_test only asks; if it is not, other threads run.
void barrier_wait(const void* barrier, unsigned parity, const char* call, Site site);
bool barrier_test(const void* barrier, unsigned parity, const char* call, Site site);

// A copy of 4, 8 or 16 bytes from global to shared memory, without which the barrier's phase does not complete.
void barrier_copy(const void* barrier, void* shared, const void* global, int bytes, Site site);

}  // namespace cairn::emu
