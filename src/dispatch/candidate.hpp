// A rung as dispatch sees it: whether its card takes a problem, what it would run, and how that is launched. Problems
// are checked and row-major here.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/ladder.hpp"
#include "runtime/runtime.hpp"

namespace cairn::dispatch {

// The rungs that run on a device; empty for the CPU.
Ladder ladder_of(runtime::Kind kind);

// What cost models are told of a device.
Device device_of(const runtime::Facts& facts);

// Why a card does not take a problem.
enum class Refusal : std::uint8_t { none, types, compute, layout, arch, lda, ldb, stride_a, stride_b };
Refusal refusal(const Rung& rung, const Problem& row, const Device& device);
std::string why_not(const Rung& rung, const Problem& row, const Device& device);  // in words; empty if it takes it

// A rung, and what it would run.
struct Candidate {
  const Rung* rung = nullptr;
  Choice choice;
  bool aligned = true;  // for A and B at multiples of the card's pointer_alignment, or for any
};
// For a problem that the card takes. Where it takes one product at a time, the forecast is of all of them, and the
// scratch memory serves them one after the other.
Candidate candidate(const Rung& rung, const Problem& row, const Device& device, int tile = kAnyTile,
                    bool aligned = true);

// Whether A and B begin where the rung wants them; true where nobody reads them.
bool aligned(const Rung& rung, const RungArgs& args);

// One launch for each product of the batch, or one for all. `args` has all but the choice. An error names the rung
// and the problem.
Status launch(const Candidate& candidate, const RungArgs& args, Stream stream);

}  // namespace cairn::dispatch
