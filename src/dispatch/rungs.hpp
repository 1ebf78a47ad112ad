// Rungs as dispatch sees them: which problems a card takes, and how one runs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/ladder.hpp"
#include "runtime/runtime.hpp"
#include "src/call.hpp"

namespace cairn::dispatch {

// The rungs that run on a device; empty for the CPU.
Ladder ladder_of(runtime::Kind kind);

// Why the rung cannot take a row-major problem on this device; empty if it can.
std::string refuses(const Rung& rung, const Problem& row, const runtime::Facts& device);

// Whether A and B of a checked, row-major call begin where the rung wants them to.
bool on_the_grid(const Rung& rung, const Call& row);

// Bytes of device memory that run() wants beside the matrices.
std::size_t scratch_bytes(const Rung& rung, int tile, const Problem& row, int units);

// The same where A and B begin anywhere, for a rung that copies them.
std::size_t scratch_bytes_off_the_grid(const Rung& rung, int tile, const Problem& row, int units);

// Runs a checked, row-major call on a device of so many units: one launch for each product of the batch, or one for
// all if the card says so. They follow each other, so one piece of scratch memory serves them all. An error names the
// rung and the problem.
Status run(const Rung& rung, int tile, const Call& row, int units, std::span<std::byte> scratch,
           runtime::Stream stream);

}  // namespace cairn::dispatch
