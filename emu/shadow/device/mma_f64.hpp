// The emulator's version of device/mma_f64.hpp. emu/machine/mma.cpp computes the products.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn {

namespace detail {

template <int m, int k>
inline constexpr emu::Multiply kMultiplyF64{{fragment::Op::mma, fragment::Type::f64, {m, 8, k}}};

}  // namespace detail

inline void mma(double (&acc)[2], const double (&a)[1], const double (&b)[1], emu::Site site = emu::Site::current()) {
  emu::warp_mma(detail::kMultiplyF64<8, 4>, "mma", {a, b, acc, acc}, site);
}
inline void mma(double (&acc)[4], const double (&a)[2], const double (&b)[1], emu::Site site = emu::Site::current()) {
  emu::warp_mma(detail::kMultiplyF64<16, 4>, "mma", {a, b, acc, acc}, site);
}
inline void mma(double (&acc)[4], const double (&a)[4], const double (&b)[2], emu::Site site = emu::Site::current()) {
  emu::warp_mma(detail::kMultiplyF64<16, 8>, "mma", {a, b, acc, acc}, site);
}
inline void mma(double (&acc)[4], const double (&a)[8], const double (&b)[4], emu::Site site = emu::Site::current()) {
  emu::warp_mma(detail::kMultiplyF64<16, 16>, "mma", {a, b, acc, acc}, site);
}

}  // namespace cairn
