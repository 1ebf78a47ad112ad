// The emulator's reports, in words: who waits where.
#pragma once

#include <string>
#include <vector>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

class Block;
struct Thread;

// A failing fiber is left where it stands and its destructors do not run, so a message is always put together in one
// of these functions and not where it is passed on.

std::string ranges(const std::vector<unsigned>& sorted);  // 0 1 2 3 7 8 -> "0-3, 7-8"
std::string describe(const Site& site);                   // "tests/emu/deadlock_test.cu:31"
std::string describe(uint3 index);                        // "(1,0,0)"
std::string describe_place(const Block& block);           // "kernel half_skips, block (1,0,0), thread (3,0,0): "

// All threads that have not returned wait, and nobody is left to release them.
std::string describe_deadlock(const Block& block);
// All threads that have not returned poll for something that nobody will write.
std::string describe_stall(const Block& block);
// A collective whose mask does not name the caller; two collectives of one warp that can never meet.
std::string describe_stranger(const Thread& thread);
std::string describe_mismatch(const Thread& thread, const Thread& other);
// An operation of a whole warp, some of whose lanes have returned or never were.
std::string describe_missing_lanes(const Block& block, const Thread& thread);
// An address that ldmatrix cannot read; lanes that load or store different tiles, or a tile where none can be.
std::string describe_bad_row(const Thread& thread, bool misaligned);
std::string describe_other_tile(const Thread& thread, const Thread& other);
std::string describe_bad_tile(const Thread& thread, unsigned ld, unsigned element_bytes);
// A barrier's number or count that no GPU takes; one that others wait at for another count.
std::string describe_bad_barrier(const Thread& thread, int barrier, int threads);
std::string describe_other_count(const Thread& thread, unsigned barrier, unsigned threads, unsigned others);
// A copy from or to an address that is no multiple of its size, or of which more is to be read than it has.
std::string describe_bad_copy(const Thread& thread, bool bad_shared, bool bad_global, int bytes, int valid);
std::string describe_trap(const Thread& thread);
std::string describe_assertion(const Thread& thread, const char* condition);

}  // namespace cairn::emu
