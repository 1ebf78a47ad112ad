// f32 that asks for nothing is IEEE f32. A program that was not written for Compute::split may be given it all the same,
// by the environment or by its handle; both mean every f32 product that asks for no other arithmetic.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/types.hpp"
#include "runtime/runtime.hpp"

namespace cairn::dispatch {

// Who asks, besides the problem.
enum class SplitBy : std::uint8_t { nobody, environment, handle };

inline constexpr const char* kF32Variable = "CAIRN_F32";

// What CAIRN_F32 says: native, which is the same as nothing, or split. Anything else is refused.
Status split_by_environment(SplitBy& out);

// Whom the problem listens to: nobody, unless it is of f32 and asks for no other arithmetic.
inline SplitBy split_by_for(const Problem& problem, SplitBy asking) {
  const bool plain = problem.in == Type::f32 && problem.out == Type::f32 && problem.compute == Compute::native;
  return plain ? asking : SplitBy::nobody;
}

// Why a problem stays IEEE f32 whoever asks; empty if it becomes split.
//
// Rows that are to be invariant have bf16 planes on Hopper (kernels/hopper/61_f16x3.cu), at half the speed, and whoever
// asks for invariant f32 wants the bits of f32.
std::string why_not_split(const Problem& problem, runtime::Kind kind);

}  // namespace cairn::dispatch
