// Counting what a rung does, on the traced emulator.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "lab/trace/run.hpp"

namespace cairn::lab::trace {

inline constexpr std::uint64_t kWarp = 32;

inline constexpr emu::TraceSettings kCounters{.detectors = false}, kMerged{.detectors = false, .merged_loads = true};

// What a rung with a tile does on a problem whose matrices are aligned.
inline emu::Counters count(const std::string& id, const Problem& p, int tile = 0,
                           const emu::TraceSettings& settings = kCounters) {
  const Traced traced = trace_rung(id, tile, p, 1, settings);
  EXPECT_EQ(traced.failure, "") << id << ", " << p.brief();
  return traced.trace.kernels.at(0).counters;
}
// The same for a square problem of f32, packed.
inline emu::Counters count(const std::string& id, std::int64_t size, int tile = 0,
                           const emu::TraceSettings& settings = kCounters) {
  const bool moves = id.starts_with("transpose");
  return count(id, Problem::packed(Type::f32, moves ? Op::transpose : Op::none, Op::none, size, size, size), tile,
               settings);
}

// No detector finds anything.
inline void expect_clean(const std::string& id, int tile, const Problem& p, std::uint64_t seed) {
  const Traced traced = trace_rung(id, tile, p, seed, {});
  EXPECT_EQ(traced.failure, "") << id << "@" << tile << ", " << p.brief();
  for (const emu::Finding& finding : traced.trace.findings) {
    ADD_FAILURE() << id << "@" << tile << ", " << p.brief() << ", seed " << seed << ", " << emu::name(finding.fault)
                  << ": " << finding.what;
  }
}

inline double per(std::uint64_t cost, std::uint64_t requests) {
  return static_cast<double>(cost) / static_cast<double>(requests);
}

}  // namespace cairn::lab::trace
