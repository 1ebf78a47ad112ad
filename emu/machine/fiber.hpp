// A fiber: a stack and a place in a program, left and entered by hand. Two implementations, chosen when the build is
// configured: Boost.Context (ten to twenty nanoseconds a switch), or ucontext, which needs nothing but libc and makes
// a system call or two for each switch.
//
//   prepare(stack, main)  The next switch to the fiber calls main() on the stack. main must not return: it switches
//                         away for good. What a fiber that is prepared anew had on its stack is forgotten, and no
//                         destructor runs.
//   switch_to(from, to)   Leaves `from`, which is running, and goes on in `to`. A fiber that was never prepared
//   stands
//                         for the OS thread's own stack; there may be one for each OS thread. A fiber never moves to
//                         another OS thread.
//   expect()              The fiber's turn comes soon: its stack may be fetched into the cache.
#pragma once

#ifdef CAIRN_FIBERS_BOOST
#include "emu/machine/fiber_boost.hpp"
#else
#include "emu/machine/fiber_ucontext.hpp"
#endif
