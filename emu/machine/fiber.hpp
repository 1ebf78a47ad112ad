// A fiber: a stack and a position in a program, suspended and resumed explicitly. Two implementations, chosen when
// the build is configured: Boost.Context (10 to 20 ns a switch), or ucontext, which needs nothing but libc and makes
// a system call or two for each switch.
//
//   prepare(stack, main)  The next switch to the fiber calls main() on the stack. main must not return: it switches
//                         away for good. If the fiber has run before, what was on its stack is dropped and no
//                         destructor runs.
//   switch_to(from, to)   Suspends `from`, which is running, and resumes `to`. A fiber that was never prepared stands
//                         for the OS thread's own stack; there may be one for each OS thread. A fiber never moves to
//                         another OS thread.
//   expect()              The fiber runs soon: prefetches its stack into the cache.
#pragma once

#ifdef CAIRN_FIBERS_BOOST
#include "emu/machine/fiber_boost.hpp"
#else
#include "emu/machine/fiber_ucontext.hpp"
#endif
