// Runs a rung of the traced ladder once, and returns the trace.
#pragma once

#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

// Does this build have the traced emulator?
bool available();

// C = alpha op(A) op(B) + beta C with small integers, so that the result is exact, unless alpha or beta is not, and can
// be compared with a plain loop; this is done up to 2^24 multiply-adds. The seed determines the data and the order of threads. `id` is a
// rung's, without its tile. Detectors look for elements of C that were never written, too.
Traced trace_rung(const std::string& id, int tile, const Problem& problem, std::uint64_t seed,
                  const emu::TraceSettings& settings, const Scalars& scalars = {});

// The same for a contender's id: "simt/04_block_tile@1".
Traced trace_contender(const std::string& id, const Problem& problem, std::uint64_t seed,
                       const emu::TraceSettings& settings, const Scalars& scalars = {});

}  // namespace cairn::lab::trace
