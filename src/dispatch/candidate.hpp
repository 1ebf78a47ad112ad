// A rung as dispatch uses it: whether its card takes a problem, the tile and the forecast its card chooses, and the
// launch. Problems have passed check() and are row-major here.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/ladder.hpp"
#include "runtime/runtime.hpp"

namespace cairn::dispatch {

// The rungs that run on a device; empty for the CPU.
Ladder ladder_of(runtime::Kind kind);

// The facts of a device that cost models use.
Device device_of(const runtime::Facts& facts);

// Why a card does not take a problem.
enum class Refusal : std::uint8_t {
  none,
  types,
  compute,
  groups,
  epilogue,
  layout,
  arch,
  lda,
  ldb,
  stride_a,
  stride_b
};
Refusal refusal(const Rung& rung, const Problem& row, const Device& device);
std::string why_not(const Rung& rung, const Problem& row, const Device& device);  // in words; empty if it takes it
// The arithmetic of a rung that takes the problem: the one that was asked for, or native.
Compute compute_of(const Rung& rung, const Problem& row);

// A rung, and its card's choice for a problem.
struct Candidate {
  const Rung* rung = nullptr;
  Choice choice;
  bool aligned = true;  // the choice needs A and B aligned to the card's pointer_alignment; false: it takes any
  bool whole = false;   // no tile is split along k
};
// For a problem that the card takes, which splits no tile if it is to be invariant. If the rung launches each product of a batch separately, the forecast is for all
// of them, and they use the same scratch memory one after the other.
Candidate candidate(const Rung& rung, const Problem& row, const Device& device, int tile = kAnyTile,
                    bool aligned = true);

// Whether A and B are aligned as the rung needs them; true if they are not read.
bool aligned(const Rung& rung, const RungArgs& args);

// Launches once for each product of the batch, or once for all (Rung::batched). `args` is complete but for the
// choice. An error names the rung and the problem.
Status launch(const Candidate& candidate, const RungArgs& args, Stream stream);

}  // namespace cairn::dispatch
