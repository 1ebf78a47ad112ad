// Counting what a rung does, on the traced emulator.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "lab/trace/run.hpp"

namespace cairn::lab::trace {

inline constexpr std::uint64_t kWarp = 32;

// A rung with a tile on a square problem whose matrices are packed and aligned.
inline emu::Counters count(const std::string& id, std::int64_t size, int tile = 0) {
  const bool moves = id.starts_with("transpose");
  const Problem p = Problem::packed(Type::f32, moves ? Op::transpose : Op::none, Op::none, size, size, size);
  const Traced traced = trace_rung(id, tile, p, 1, false);
  EXPECT_EQ(traced.failure, "") << id;
  return traced.trace.kernels.at(0).counters;
}

inline double per(std::uint64_t cost, std::uint64_t requests) {
  return static_cast<double>(cost) / static_cast<double>(requests);
}

}  // namespace cairn::lab::trace
