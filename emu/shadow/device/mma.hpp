// The emulator's version of device/mma.hpp. emu/machine/mma.cpp computes the products.
#pragma once

#include <type_traits>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"
#include "emu/shadow/device/tf32.hpp"

namespace cairn {

namespace detail {

template <class In> constexpr fragment::Type mma_type() {
  static_assert(std::is_same_v<In, __half> || std::is_same_v<In, __nv_bfloat16> || std::is_same_v<In, Tf32>,
                "mma multiplies __half, __nv_bfloat16 or Tf32");
  if (std::is_same_v<In, Tf32>) return fragment::Type::tf32;
  return std::is_same_v<In, __half> ? fragment::Type::f16 : fragment::Type::bf16;
}

}  // namespace detail

template <class In>
inline void mma(float (&acc)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                emu::Site site = emu::Site::current()) {
  constexpr fragment::Type type = detail::mma_type<In>();
  static constexpr emu::Multiply what{{fragment::Op::mma, type, {16, 8, type == fragment::Type::tf32 ? 8 : 16}}};
  emu::warp_mma(what, "mma", {a, b, acc, acc}, site);
}

template <class In>
inline void mma(float (&acc)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[1],
                emu::Site site = emu::Site::current()) {
  static_assert(!std::is_same_v<In, Tf32>, "of Tf32 there is 16 x 8 x 8, with all registers");
  static constexpr emu::Multiply what{{fragment::Op::mma, detail::mma_type<In>(), {16, 8, 8}}};
  emu::warp_mma(what, "mma", {a, b, acc, acc}, site);
}

}  // namespace cairn
