// One operand of the summit on the host: whether it can be used as it lies, or what its copy looks like.
#pragma once

#include "device/matrix_map.hpp"
#include "kernels/hopper/59_summit/pack.hpp"

namespace cairn::hopper_59 {

struct Side {
  const void* base;
  Type type;
  std::int64_t rows, k;  // of op(A), or columns of op(B)
  std::int64_t ld, stride;
  std::int64_t batch;  // products
  Major major;

  std::int64_t lines() const { return major == Major::k ? rows : k; }
  std::int64_t width() const { return major == Major::k ? k : rows; }
};

inline Side side_a(const Problem& p, const void* A) {
  return {A, p.in, p.m, p.k, p.lda, p.stride_a, p.batch, p.op_a == Op::none ? Major::k : Major::rows};
}
inline Side side_b(const Problem& p, const void* B) {
  return {B, p.in, p.n, p.k, p.ldb, p.stride_b, p.batch, p.op_b == Op::none ? Major::rows : Major::k};
}

// wgmma reads neighbours along the rows only of 16-bit types.
inline bool must_turn(const Side& side) { return side.major == Major::rows && size_of(side.type) != 2; }
// TMA takes lines that begin at multiples of 16 bytes; pointers may be unknown yet, and null.
inline bool off_the_grid(const Side& side) {
  const auto misplaced = [&](std::int64_t elements) { return elements * size_of(side.type) % 16 != 0; };
  return reinterpret_cast<std::uintptr_t>(side.base) % 16 != 0 || misplaced(side.ld) ||
         (side.batch > 1 && misplaced(side.stride));
}
inline bool needs_copy(const Side& side) { return side.k > 0 && (must_turn(side) || off_the_grid(side)); }

// The copy: packed, lines at multiples of 16 bytes; of 128, where L2 keeps them, if they are so long that this adds
// little. Products that are one matrix (stride 0) stay one.
inline Side packed(const Side& side) {
  Side copy = side;
  if (must_turn(side)) copy.major = Major::k;
  const std::int64_t piece = (copy.width() * size_of(side.type) < 1024 ? 16 : 128) / size_of(side.type);
  copy.ld = ceil_div(copy.width(), piece) * piece;
  copy.stride = side.stride == 0 ? 0 : copy.lines() * copy.ld;
  copy.base = nullptr;
  return copy;
}
// Matrices: one for each product, unless all have the same.
inline std::int64_t matrices_of(const Side& side) { return side.stride == 0 ? 1 : side.batch; }
// Blocks that copy it.
inline std::int64_t blocks_of(const Side& from, const Side& to) {
  const Grid grid =
      copy_grid(size_of(from.type), from.lines(), from.width(), matrices_of(from), from.major != to.major);
  return grid.x * grid.y * grid.z;
}
// The problem as the kernel reads it: A and B as they lie, or as their copies will.
inline Copied copied(const Problem& row) {
  Copied all{row};
  Problem& p = all.problem;
  if (const Side a = side_a(row, nullptr); needs_copy(a)) {
    const Side copy = packed(a);
    p.lda = copy.ld, p.stride_a = copy.stride, p.op_a = copy.major == Major::k ? Op::none : Op::transpose;
    all.blocks = blocks_of(a, copy);
  }
  if (const Side b = side_b(row, nullptr); needs_copy(b)) {
    const Side copy = packed(b);
    p.ldb = copy.ld, p.stride_b = copy.stride, p.op_b = copy.major == Major::k ? Op::transpose : Op::none;
    all.blocks = blocks_of(b, copy);
  }
  return all;
}
inline std::size_t bytes_of(const Side& copy) {
  return static_cast<std::size_t>((matrices_of(copy) * copy.lines() * copy.ld * size_of(copy.type) + 127) / 128 *
                                  128);
}

inline Status copy(const Side& from, const Side& to, Stream stream) {
  const auto go = [&]<class Word>() {
    const Lines<Word> lines{static_cast<const Word*>(from.base),
                            static_cast<Word*>(const_cast<void*>(to.base)),
                            from.lines(),
                            from.width(),
                            from.ld,
                            to.ld,
                            from.stride,
                            to.stride};
    return pack_lines(lines, matrices_of(from), from.major != to.major, stream);
  };
  switch (size_of(from.type)) {
    case 1: return go.template operator()<std::uint8_t>();
    case 2: return go.template operator()<std::uint16_t>();
    default: return go.template operator()<std::uint32_t>();
  }
}

// Its tensor map, of boxes that bring `box` rows; the third coordinate is the product, unless all have the same one.
inline Status map_of(TensorMap& out, const Side& side, int box, bool tf32) {
  if (side.k == 0) return {};
  const auto size = static_cast<std::uint64_t>(size_of(side.type));
  const bool one = side.batch == 1 || side.stride == 0;
  TensorBox what{side.base, side.type, tf32, 3};
  what.sizes = {static_cast<std::uint64_t>(side.width()), static_cast<std::uint64_t>(side.lines()),
                one ? 1 : static_cast<std::uint64_t>(side.batch)};
  const std::uint64_t line = static_cast<std::uint64_t>(side.ld) * size;
  what.strides = {size, line, one ? line : static_cast<std::uint64_t>(side.stride) * size};
  what.box = {static_cast<std::uint32_t>(128 / size),
              static_cast<std::uint32_t>(side.major == Major::k ? box : 128 / static_cast<int>(size)), 1};
  what.swizzle = Swizzle::b128;
  return make_tensor_map(out, what);
}

}  // namespace cairn::hopper_59
