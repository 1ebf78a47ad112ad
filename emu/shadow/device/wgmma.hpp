// The emulator's version of device/wgmma.hpp. wgmma is executed as late as the program
// permits (emu/sm90/wgmma.hpp).
#pragma once

#include <type_traits>

#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"
#include "emu/shadow/device/e4m3.hpp"
#include "emu/shadow/device/sm90.hpp"
#include "emu/shadow/device/tensor_map.hpp"
#include "emu/shadow/device/tf32.hpp"
#include "emu/sm90/warpgroup_builtins.hpp"

namespace cairn {

enum class Major : std::uint8_t { k, mn };

struct MatrixDescriptor {
  std::uint64_t bits;

  MatrixDescriptor at(int bytes) const {
    return {bits + static_cast<std::uint64_t>(static_cast<unsigned>(bytes) >> 4)};
  }
};
inline MatrixDescriptor matrix_descriptor(const void* shared, Swizzle swizzle, int stride, int leading = 16,
                                          emu::Site site = emu::Site::current()) {
  constexpr unsigned codes[] = {0, 3, 2, 1};
  return {std::uint64_t{emu::descriptor_address(shared, stride, leading, site) >> 4} |
          std::uint64_t{static_cast<unsigned>(leading) >> 4} << 16 |
          std::uint64_t{static_cast<unsigned>(stride) >> 4} << 32 |
          std::uint64_t{codes[static_cast<int>(swizzle)]} << 62};
}

inline void wgmma_fence(emu::Site site = emu::Site::current()) { emu::wgmma_fence(site); }
inline void wgmma_commit(emu::Site site = emu::Site::current()) { emu::wgmma_commit(site); }
template <int left> inline void wgmma_wait(emu::Site site = emu::Site::current()) {
  static_assert(left >= 0 && left <= 7, "wgmma.wait_group takes 0 to 7");
  emu::wgmma_wait(left, site);
}
template <int count> inline void wgmma_fence_operand(float (&)[count]) {}

namespace detail {

template <class In> constexpr fragment::Type wgmma_type() {
  constexpr bool half = std::is_same_v<In, __half>, narrow = std::is_same_v<In, E4m3>,
                 wide = std::is_same_v<In, Tf32>;
  static_assert(half || narrow || wide || std::is_same_v<In, __nv_bfloat16>,
                "wgmma multiplies __half, __nv_bfloat16, Tf32 or E4m3");
  return half     ? fragment::Type::f16
         : narrow ? fragment::Type::e4m3
         : wide   ? fragment::Type::tf32
                  : fragment::Type::bf16;
}
template <class In, int n, Major a_major, Major b_major> constexpr emu::WgmmaShape wgmma_of() {
  static_assert(n % 8 == 0 && n >= 8 && n <= 256, "wgmma has 8, 16, … 256 columns");
  constexpr fragment::Type type = wgmma_type<In>();
  constexpr bool a_rows = a_major == Major::mn, b_rows = b_major == Major::mn;
  static_assert(fragment::group_depth(type) == 16 || !(a_rows || b_rows), "only 16-bit operands may be MN-major");
  return {{fragment::Op::wgmma, type, {64, n, fragment::group_depth(type)}}, a_rows, b_rows};
}
template <class In, int n, Major a_major, Major b_major>
inline constexpr emu::WgmmaShape kWgmma = wgmma_of<In, n, a_major, b_major>();

}  // namespace detail

template <class In, int n, Major a_major = Major::k, Major b_major = Major::k>
inline void wgmma(float (&acc)[n / 2], MatrixDescriptor a, MatrixDescriptor b, bool add,
                  emu::Site site = emu::Site::current()) {
  emu::wgmma(detail::kWgmma<In, n, a_major, b_major>, {acc, nullptr, a.bits, b.bits, add}, site);
}
template <class In, int n, Major b_major = Major::k>
inline void wgmma(float (&acc)[n / 2], const std::uint32_t (&a)[4], MatrixDescriptor b, bool add,
                  emu::Site site = emu::Site::current()) {
  emu::wgmma(detail::kWgmma<In, n, Major::k, b_major>, {acc, a, 0, b.bits, add}, site);
}

}  // namespace cairn
