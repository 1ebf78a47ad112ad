// What every kernel that copies tiles by TMA and multiplies them by wgmma says about its operands on the host: which
// way their neighbours lie, and the tensor map of each. Tiles are made of lines of 128 bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "device/tensor_map.hpp"
#include "device/wgmma.hpp"

namespace cairn {

// f.template operator()<a, b>() with the majors of the operands: neighbours of a row-major A of op none lie along k,
// those of B along the columns.
template <class F> Status with_majors(Op op_a, Op op_b, F&& f) {
  if (op_a == Op::none) {
    return op_b == Op::none ? f.template operator()<Major::k, Major::mn>()
                            : f.template operator()<Major::k, Major::k>();
  }
  return op_b == Op::none ? f.template operator()<Major::mn, Major::mn>()
                          : f.template operator()<Major::mn, Major::k>();
}

// A matrix of `lines` x `width` elements, `ld` from one line to the next, in boxes of box_lines x 128 bytes.
inline Status matrix_map(TensorMap& out, const void* base, Type type, std::int64_t lines, std::int64_t width,
                         std::int64_t ld, int box_lines, Swizzle swizzle = Swizzle::b128, bool tf32 = false) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (lines > most || width > most) return {Code::unsupported, "TMA counts lines and columns in 32 bits"};
  const auto size = static_cast<std::uint64_t>(size_of(type));
  TensorBox what{base, type, tf32};
  what.sizes = {static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(lines)};
  what.strides = {size, static_cast<std::uint64_t>(ld) * size};
  what.box = {static_cast<std::uint32_t>(128 / size), static_cast<std::uint32_t>(box_lines)};
  what.swizzle = swizzle;
  return make_tensor_map(out, what);
}

// An operand with `rows` rows (A) or columns (B), of which a copy brings `box`; 64 of k make a line, or 64 rows do. A
// product of nothing has no operands, and gets no map.
inline Status operand_map(TensorMap& out, const void* base, Type type, Major major, std::int64_t rows, std::int64_t k,
                          std::int64_t ld, int box, bool tf32 = false) {
  if (k == 0) return {};
  const int depth = static_cast<int>(128 / size_of(type));
  return major == Major::k ? matrix_map(out, base, type, rows, k, ld, box, Swizzle::b128, tf32)
                           : matrix_map(out, base, type, k, rows, ld, depth, Swizzle::b128, tf32);
}

}  // namespace cairn
