// A, B or C on the host: its layout, whether TMA and wgmma can read it, the layout of its packed copy,
// and its tensor map.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "device/matrix_map.hpp"
#include "kernels/hopper/parts/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper {

struct Matrix {
  const void* base;
  Type type;
  std::int64_t rows, k;  // rows of op(A), or columns of op(B), by k; of C rows and columns
  std::int64_t ld, stride;
  std::int64_t batch;  // products
  Major major;
  bool in_groups = false;  // its rows are those of groups, which begin anywhere

  std::int64_t stored_rows() const { return major == Major::k ? rows : k; }
  std::int64_t stored_cols() const { return major == Major::k ? k : rows; }
  std::int64_t matrices() const { return stride == 0 ? 1 : batch; }  // one, if all products have it in common
};

inline Matrix matrix_a(const Problem& p, const void* A = nullptr) {
  return {A, p.in, p.m, p.k, p.lda, p.stride_a, p.batch, p.op_a == Op::none ? Major::k : Major::mn};
}
inline Matrix matrix_b(const Problem& p, const void* B = nullptr) {
  return {B, p.in, p.n, p.k, p.ldb, p.stride_b, p.batch, p.op_b == Op::none ? Major::mn : Major::k};
}

// A contiguous vector is K-major whichever way it is stored.
inline Problem with_vectors(Problem p) {
  if (p.m == 1 && p.op_a == Op::transpose && p.lda == 1) p.op_a = Op::none, p.lda = std::max<std::int64_t>(p.k, 1);
  if (p.n == 1 && p.op_b == Op::none && p.ldb == 1) p.op_b = Op::transpose, p.ldb = std::max<std::int64_t>(p.k, 1);
  return p;
}

// wgmma reads MN-major operands of 16-bit types only. TMA loads them from rows that begin at multiples of 16 bytes, and
// a group's first row may be anywhere.
inline bool must_transpose(const Matrix& m) { return m.major == Major::mn && (size_of(m.type) != 2 || m.in_groups); }
// A packed copy is K-major as well where an MN-major one would have less than 128 bytes in a row. TMA loads 64 such rows
// for a k-step, and all blocks load the same few lines of L2 at the same time, once for each row; K-major, there are as
// few rows as the matrix has.
inline bool transposes(const Matrix& m) {
  return must_transpose(m) || (m.major == Major::mn && m.rows * size_of(m.type) < kRowBytes);
}
// TMA needs rows that begin at multiples of 16 bytes.
inline bool misaligned(const void* base) { return reinterpret_cast<std::uintptr_t>(base) % 16 != 0; }
inline bool rows_misaligned(const Matrix& m) {
  const auto off = [&](std::int64_t elements) { return elements * size_of(m.type) % 16 != 0; };
  return (m.stored_rows() > 1 && off(m.ld)) || (m.batch > 1 && off(m.stride));
}
inline bool needs_packing(const Matrix& m, bool aligned) {
  return m.k > 0 && (!aligned || must_transpose(m) || rows_misaligned(m));
}

// The packed copy: rows at multiples of 16 bytes, or of 128, an L2 line, if they are so long that this adds little. A
// matrix that all products have in common (stride 0) is packed once.
inline Matrix packed(const Matrix& m) {
  Matrix copy = m;
  if (transposes(m)) copy.major = Major::k;
  const std::int64_t unit = (copy.stored_cols() * size_of(m.type) < 1024 ? 16 : 128) / size_of(m.type);
  copy.ld = ceil_div(copy.stored_cols(), unit) * unit;
  copy.stride = m.stride == 0 ? 0 : copy.stored_rows() * copy.ld;
  copy.base = nullptr;
  return copy;
}
inline std::size_t bytes_of(const Matrix& m) {
  return static_cast<std::size_t>((m.matrices() * m.stored_rows() * m.ld * size_of(m.type) + 127) / 128 * 128);
}

// The blocks that pack a matrix: along a row, rows (or squares, where it is transposed), matrices.
struct PackGrid {
  std::int64_t x = 0, y = 0, z = 0;
  std::int64_t blocks() const { return x * y * z; }
};
// Threads of a block of 256 along a row of at most 256.
inline int pack_across(const Matrix& from) {
  return static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(from.stored_cols(), 1, 256))));
}
inline PackGrid pack_grid(const Matrix& from) {
  constexpr std::int64_t most = 65535,
                         most_blocks = std::int64_t{1} << 30;  // of y, and of all; each block then packs several
  const std::int64_t side = size_of(from.type) == 1 ? 128 : 64;
  PackGrid grid;
  const std::int64_t across = pack_across(from);
  grid.x = ceil_div(from.stored_cols(), must_transpose(from) ? side : 256 * 8);
  grid.y = std::min(ceil_div(from.stored_rows(), must_transpose(from) ? side : 256 / across), most);
  grid.z = std::clamp<std::int64_t>(most_blocks / (grid.x * grid.y), 1, from.matrices());
  return grid;
}

// Cᵀ = op(B)ᵀ op(A)ᵀ: the problem as a turned variant computes it. C stays as it is stored.
inline Problem turned_problem(const Problem& p) {
  const auto other = [](Op op) { return op == Op::none ? Op::transpose : Op::none; };
  Problem turned = p;
  turned.m = p.n, turned.n = p.m;
  turned.op_a = other(p.op_b), turned.op_b = other(p.op_a);
  turned.lda = p.ldb, turned.ldb = p.lda;
  turned.stride_a = p.stride_b, turned.stride_b = p.stride_a;
  return turned;
}

// Groups of rows as a batch: they have A and C in common, and each its own B.
inline Problem as_batch(Problem p) {
  if (!p.is_grouped()) return p;
  p.batch = p.groups, p.groups = 0;
  p.stride_a = p.stride_c = 0;
  return p;
}

// A problem as the kernel reads it, with A and B as stored, as packed or as fetched, and what packing takes.
struct Packed {
  Problem problem;
  Op stored_a = Op::none, stored_b = Op::none;  // of that problem before packing or fetching
  std::int64_t blocks = 0;      // that pack the last operand: the others have ended when the GEMM starts
  std::int64_t all_blocks = 0;  // that pack
  std::size_t bytes = 0;        // of the copies
  bool grouped = false;         // of groups, whose tiles are not split
};
inline Packed packed_problem(const Problem& asked, const Variant& v, bool aligned) {
  const Problem row = as_batch(asked);
  Packed all{with_vectors(v.turned ? turned_problem(row) : row)};
  Problem& p = all.problem;
  all.grouped = asked.is_grouped();
  all.stored_a = p.op_a, all.stored_b = p.op_b;
  if (v.tile.fetched) {
    p.op_a = Op::none, p.op_b = Op::transpose;
    return all;
  }
  const auto pack = [&](const Matrix& from, std::int64_t& ld, std::int64_t& stride, Op& op, Op k_major) {
    if (!needs_packing(from, aligned) || from.stored_rows() == 0 || from.stored_cols() == 0) return;
    const Matrix to = packed(from);
    ld = to.ld, stride = to.stride;
    if (to.major == Major::k) op = k_major;
    all.blocks = pack_grid(from).blocks();
    all.all_blocks += all.blocks;
    all.bytes += bytes_of(to);
  };
  Matrix a = matrix_a(p), b = matrix_b(p);
  (v.turned ? b : a).in_groups = asked.is_grouped();
  pack(a, p.lda, p.stride_a, p.op_a, Op::none);
  pack(b, p.ldb, p.stride_b, p.op_b, Op::transpose);
  // What a group takes on average, since the host does not know how many rows each has.
  if (asked.is_grouped()) (v.turned ? p.n : p.m) = ceil_div(asked.m, asked.groups);
  return all;
}

// A matrix as TMA sees it; the third coordinate is the product of the batch.
inline TensorBox box_of(const Matrix& m) {
  const auto size = static_cast<std::uint64_t>(size_of(m.type));
  const bool broadcast = m.batch == 1 || m.stride == 0;
  TensorBox what{m.base, m.type, false, 3};
  what.sizes = {static_cast<std::uint64_t>(m.stored_cols()), static_cast<std::uint64_t>(m.stored_rows()),
                broadcast ? 1 : static_cast<std::uint64_t>(m.batch)};
  // Of a single row any multiple of 16 will do.
  const std::uint64_t row_bytes =
      m.stored_rows() == 1 ? (what.sizes[0] * size + 15) / 16 * 16 : static_cast<std::uint64_t>(m.ld) * size;
  what.strides = {size, row_bytes, broadcast ? row_bytes : static_cast<std::uint64_t>(m.stride) * size};
  return what;
}

// The tensor map of A or B, for the boxes that a block loads: of `rows` rows in all, where `blocks` divide them.
inline Status map_of(TensorMap& out, const Matrix& m, int rows, int blocks, bool tf32) {
  if (m.k == 0) return {};
  const int elements = static_cast<int>(128 / size_of(m.type));
  TensorBox what = box_of(m);
  what.tf32 = tf32;
  const int deep = divides_boxes(rows / 64, blocks) ? kBoxDepth : kBoxDepth / blocks;
  what.box = {static_cast<std::uint32_t>(elements),
              static_cast<std::uint32_t>(m.major == Major::k ? rows / blocks : deep), 1};
  what.swizzle = Swizzle::b128;
  return make_tensor_map(out, what);
}

// That of C, in the boxes in which a variant stores it.
inline Status map_of_c(TensorMap& out, const Matrix& m, const Variant& v) {
  const int size = static_cast<int>(size_of(m.type)), wn = v.tile.wn();
  const int cols = v.turned ? 128 / size : box_cols(wn, size), rows = v.turned ? turned_box_rows(wn) : 64;
  TensorBox what = box_of(m);
  what.box = {static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>(rows), 1};
  what.swizzle = cols * size == 128 ? Swizzle::b128 : cols * size == 64 ? Swizzle::b64 : Swizzle::b32;
  return make_tensor_map(out, what);
}

}  // namespace cairn::hopper
