// The host part of kernels that load tiles by TMA and multiply them by wgmma: the major of each operand, and its
// tensor map. Rows of a swizzled tile have 128 bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "device/tensor_map.hpp"
#include "device/wgmma.hpp"

namespace cairn {

// f.template operator()<a, b>() with the majors of the operands. In row-major layout an A of op none is K-major and a
// B of op none is MN-major.
template <class F> Status with_majors(Op op_a, Op op_b, F&& f) {
  if (op_a == Op::none) {
    return op_b == Op::none ? f.template operator()<Major::k, Major::mn>()
                            : f.template operator()<Major::k, Major::k>();
  }
  return op_b == Op::none ? f.template operator()<Major::mn, Major::mn>()
                          : f.template operator()<Major::mn, Major::k>();
}

// A stored matrix of rows x cols elements, in boxes of box_rows x 128 bytes.
inline Status matrix_map(TensorMap& out, const void* base, Type type, std::int64_t rows, std::int64_t cols,
                         std::int64_t ld, int box_rows, Swizzle swizzle = Swizzle::b128, bool tf32 = false) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (rows > most || cols > most) return {Code::unsupported, "TMA counts rows and columns in 32 bits"};
  const auto size = static_cast<std::uint64_t>(size_of(type));
  TensorBox what{base, type, tf32};
  what.sizes = {static_cast<std::uint64_t>(cols), static_cast<std::uint64_t>(rows)};
  what.strides = {size, static_cast<std::uint64_t>(ld) * size};
  what.box = {static_cast<std::uint32_t>(128 / size), static_cast<std::uint32_t>(box_rows)};
  what.swizzle = swizzle;
  return make_tensor_map(out, what);
}

// An operand of `rows` rows (A) or columns (B). K-major boxes have `box` of them by 128 bytes of k; MN-major boxes
// have 128 bytes of them by as many of k. With k = 0 there is nothing to map.
inline Status operand_map(TensorMap& out, const void* base, Type type, Major major, std::int64_t rows, std::int64_t k,
                          std::int64_t ld, int box, bool tf32 = false) {
  if (k == 0) return {};
  const int depth = static_cast<int>(128 / size_of(type));
  return major == Major::k ? matrix_map(out, base, type, rows, k, ld, box, Swizzle::b128, tf32)
                           : matrix_map(out, base, type, k, rows, ld, depth, Swizzle::b128, tf32);
}

}  // namespace cairn
