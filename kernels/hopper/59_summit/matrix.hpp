// A, B or C of the summit on the host: how it lies, whether TMA and wgmma can take it so, what its packed copy looks
// like, and its tensor map.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/matrix_map.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

struct Matrix {
  const void* base;
  Type type;
  std::int64_t rows, k;  // of op(A), or columns of op(B); of C rows and columns
  std::int64_t ld, stride;
  std::int64_t batch;  // products
  Major major;

  std::int64_t lines() const { return major == Major::k ? rows : k; }
  std::int64_t width() const { return major == Major::k ? k : rows; }
  std::int64_t matrices() const { return stride == 0 ? 1 : batch; }  // one, if all products have the same
};

inline Matrix matrix_a(const Problem& p, const void* A = nullptr) {
  return {A, p.in, p.m, p.k, p.lda, p.stride_a, p.batch, p.op_a == Op::none ? Major::k : Major::mn};
}
inline Matrix matrix_b(const Problem& p, const void* B = nullptr) {
  return {B, p.in, p.n, p.k, p.ldb, p.stride_b, p.batch, p.op_b == Op::none ? Major::mn : Major::k};
}

// wgmma reads operands that are not K-major only of 16-bit types.
inline bool must_turn(const Matrix& m) { return m.major == Major::mn && size_of(m.type) != 2; }
// TMA takes lines that begin at multiples of 16 bytes.
inline bool misaligned(const void* base) { return reinterpret_cast<std::uintptr_t>(base) % 16 != 0; }
inline bool lines_misaligned(const Matrix& m) {
  const auto off = [&](std::int64_t elements) { return elements * size_of(m.type) % 16 != 0; };
  return off(m.ld) || (m.batch > 1 && off(m.stride));
}
inline bool needs_packing(const Matrix& m, bool aligned) {
  return m.k > 0 && (!aligned || must_turn(m) || lines_misaligned(m));
}

// The packed copy: lines at multiples of 16 bytes; of 128, the line of L2, if they are so long that this adds little.
// Products that are one matrix (stride 0) stay one.
inline Matrix packed(const Matrix& m) {
  Matrix copy = m;
  if (must_turn(m)) copy.major = Major::k;
  const std::int64_t unit = (copy.width() * size_of(m.type) < 1024 ? 16 : 128) / size_of(m.type);
  copy.ld = ceil_div(copy.width(), unit) * unit;
  copy.stride = m.stride == 0 ? 0 : copy.lines() * copy.ld;
  copy.base = nullptr;
  return copy;
}
inline std::size_t bytes_of(const Matrix& m) {
  return static_cast<std::size_t>((m.matrices() * m.lines() * m.ld * size_of(m.type) + 127) / 128 * 128);
}

// The blocks that pack a matrix: chunks of a line, lines (or squares of both, where it is turned), matrices.
struct PackGrid {
  std::int64_t across = 0, down = 0, deep = 0;
  std::int64_t blocks() const { return across * down * deep; }
};
inline PackGrid pack_grid(const Matrix& from) {
  constexpr std::int64_t most = 65535, most_blocks = std::int64_t{1} << 30;  // blocks walk on beyond these
  const std::int64_t side = size_of(from.type) == 1 ? 128 : 64;
  PackGrid grid;
  grid.across = ceil_div(from.width(), must_turn(from) ? side : 256 * 8);
  grid.down = std::min(must_turn(from) ? ceil_div(from.lines(), side) : from.lines(), most);
  grid.deep = std::clamp<std::int64_t>(most_blocks / (grid.across * grid.down), 1, from.matrices());
  return grid;
}

// A problem as the kernel reads it, A and B as they lie or as their copies will, and what packing takes.
struct Packed {
  Problem problem;
  std::int64_t blocks = 0;  // that pack the operand that comes last: those before are done when the GEMM's start
  std::size_t bytes = 0;    // of the copies
};
inline Packed packed_problem(const Problem& row, bool aligned) {
  Packed all{row};
  Problem& p = all.problem;
  const auto pack = [&](const Matrix& from, std::int64_t& ld, std::int64_t& stride, Op& op, Op k_major) {
    if (!needs_packing(from, aligned) || from.lines() == 0 || from.width() == 0) return;
    const Matrix to = packed(from);
    ld = to.ld, stride = to.stride;
    if (to.major == Major::k) op = k_major;
    all.blocks = pack_grid(from).blocks();
    all.bytes += bytes_of(to);
  };
  pack(matrix_a(row), p.lda, p.stride_a, p.op_a, Op::none);
  pack(matrix_b(row), p.ldb, p.stride_b, p.op_b, Op::transpose);
  return all;
}

// Its tensor map, of boxes that bring `box` rows; the third coordinate is the product, unless all have the same one.
inline Status map_of(TensorMap& out, const Matrix& m, int box, bool tf32) {
  if (m.k == 0) return {};
  const auto size = static_cast<std::uint64_t>(size_of(m.type));
  const bool one = m.batch == 1 || m.stride == 0;
  TensorBox what{m.base, m.type, tf32, 3};
  what.sizes = {static_cast<std::uint64_t>(m.width()), static_cast<std::uint64_t>(m.lines()),
                one ? 1 : static_cast<std::uint64_t>(m.batch)};
  const std::uint64_t line = static_cast<std::uint64_t>(m.ld) * size;
  what.strides = {size, line, one ? line : static_cast<std::uint64_t>(m.stride) * size};
  what.box = {static_cast<std::uint32_t>(128 / size),
              static_cast<std::uint32_t>(m.major == Major::k ? box : 128 / static_cast<int>(size)), 1};
  what.swizzle = Swizzle::b128;
  return make_tensor_map(out, what);
}

}  // namespace cairn::hopper_59
