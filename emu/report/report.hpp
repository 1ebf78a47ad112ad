// The text of the emulator's error reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/driver_types.h"

namespace cairn::emu {

class Block;
struct Thread;

// A fiber that fails is abandoned and its destructors do not run, so a message is always built in one of these
// functions and not by the caller, where its strings would leak.

std::string ranges(const std::vector<unsigned>& sorted);  // 0 1 2 3 7 8 -> "0-3, 7-8"
std::string hex(unsigned mask);                           // "0x0000ffff"
std::string describe(const Site& site);                   // "tests/emu/deadlock_test.cu:31"
std::string describe(uint3 index);                        // "(1,0,0)"
std::string describe_place(const Block& block);           // "kernel half_skips, block (1,0,0), thread (3,0,0): "

// All threads that have not returned wait, and none is left to release them.
std::string describe_deadlock(const Block& block);
// All threads that have not returned poll for something that no thread will write.
// A block has returned, and all threads of `block` wait for it at the grid's barrier.
std::string describe_grid_deadlock(const Block& block, uint3 ended);
std::string describe_not_cooperative(const Thread& thread);
std::string describe_stall(const Block& block);
// A collective whose mask does not name the caller; two collectives of one warp that do not match.
std::string describe_lane_not_in_mask(const Thread& thread);
std::string describe_mismatch(const Thread& thread, const Thread& other);
// A warp-wide instruction of a warp some of whose lanes have returned or do not exist.
std::string describe_missing_lanes(const Block& block, const Thread& thread);
// A bad row address for ldmatrix; lanes that give different wmma tiles; a misaligned wmma tile.
std::string describe_bad_row(const Thread& thread, bool misaligned);
std::string describe_other_tile(const Thread& thread, const Thread& other);
std::string describe_bad_tile(const Thread& thread, unsigned ld, unsigned element_bytes);
// A barrier number or thread count out of range; a count that differs from that of the threads that wait.
std::string describe_bad_barrier(const Thread& thread, int barrier, int threads);
std::string describe_other_count(const Thread& thread, unsigned barrier, unsigned threads, unsigned others);
// A cp.async with a misaligned address, or with more bytes to read than its size.
std::string describe_bad_copy(const Thread& thread, bool bad_shared, bool bad_global, int bytes, int valid);
std::string describe_trap(const Thread& thread);
std::string describe_assertion(const Thread& thread, const char* condition);
// An address that is nobody's, or past the end of the thread's own stack.
std::string describe_bad_access(const Thread& thread, std::uintptr_t address, bool of_stack);
std::string describe_division_by_zero(const Thread& thread);
// The error that a launch ends with, by what is reported of it.
cudaError_t error_of(const std::string& report);
bool ends_a_launch(cudaError_t error);

}  // namespace cairn::emu
