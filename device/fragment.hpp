// Which lane of a warp holds which element of a tile: for mma.sync as documented in the PTX ISA, for wmma as measured on
// sm_80 to sm_90, which CUDA does not document; and which thread of a warpgroup, for wgmma. Plain C++: the emulator
// multiplies by these maps, `cairn info fragment` prints them, and a test compares them with a GPU.
//
// All maps are made of the three blocks of one mma: A 16 x k, B k x 8, C 16 x 8 (of f64 also 8 rows). A fragment of wmma is one or two
// neighbouring blocks; of f16 it always has 16 elements, repeated where a tile has fewer. In wgmma each of four warps
// has A's block of 16 rows, and n / 8 neighbouring blocks of C; B is never in registers.
#pragma once

namespace cairn::fragment {

enum class Op { mma, wmma, wgmma };
enum class Type { f16, bf16, tf32, e4m3, f64 };  // of A and B
enum class Operand { a, b, c };                  // c: the accumulators

struct Shape {
  int m, n, k;
  constexpr bool operator==(const Shape&) const = default;
};

struct Kind {
  Op op;
  Type type;
  Shape shape;
  constexpr bool operator==(const Kind&) const = default;
};

// The k of the machine instruction: nvcc 13.0 compiles wmma's tf32 to instructions of k = 4.
constexpr int depth(const Kind& kind) { return kind.op == Op::wmma && kind.type == Type::tf32 ? 4 : kind.shape.k; }

struct Place {
  int row, col;
  constexpr bool operator==(const Place&) const = default;
};

// All instructions of a warp.
inline constexpr Kind kinds[] = {
    {Op::mma, Type::f16, {16, 8, 16}},   {Op::mma, Type::f16, {16, 8, 8}},    {Op::mma, Type::bf16, {16, 8, 16}},
    {Op::mma, Type::bf16, {16, 8, 8}},   {Op::mma, Type::tf32, {16, 8, 8}},   {Op::wmma, Type::f16, {16, 16, 16}},
    {Op::wmma, Type::f16, {32, 8, 16}},  {Op::wmma, Type::f16, {8, 32, 16}},  {Op::wmma, Type::bf16, {16, 16, 16}},
    {Op::wmma, Type::bf16, {32, 8, 16}}, {Op::wmma, Type::bf16, {8, 32, 16}}, {Op::wmma, Type::tf32, {16, 16, 8}},
    {Op::mma, Type::f64, {16, 8, 16}},   {Op::mma, Type::f64, {16, 8, 8}},    {Op::mma, Type::f64, {16, 8, 4}},
    {Op::mma, Type::f64, {8, 8, 4}},
};

// The k of wgmma is 32 bytes.
constexpr int group_depth(Type type) { return type == Type::tf32 ? 8 : type == Type::e4m3 ? 32 : 16; }

constexpr bool exists(const Kind& kind) {
  if (kind.op == Op::wgmma) {
    const auto [m, n, k] = kind.shape;
    return kind.type != Type::f64 && m == 64 && n >= 8 && n <= 256 && n % 8 == 0 && k == group_depth(kind.type);
  }
  for (const Kind& one : kinds) {
    if (one == kind) return true;
  }
  return false;
}

constexpr int rows(const Shape& shape, Operand operand) { return operand == Operand::b ? shape.k : shape.m; }
constexpr int cols(const Shape& shape, Operand operand) { return operand == Operand::a ? shape.k : shape.n; }

// The threads that hold a tile together: the lanes of a warp, or the threads of a warpgroup.
constexpr int lanes(const Kind& kind) { return kind.op == Op::wgmma ? 128 : 32; }

// Different elements that a lane holds.
constexpr int distinct(const Kind& kind, Operand operand) {
  if (kind.op == Op::wgmma && operand == Operand::b) return 0;
  return rows(kind.shape, operand) * cols(kind.shape, operand) / lanes(kind);
}

// All elements that a lane holds: the size of a fragment's x[], or of the registers of an mma in elements.
constexpr int held(const Kind& kind, Operand operand) {
  return kind.op == Op::wmma && kind.type == Type::f16 && operand != Operand::c ? 16 : distinct(kind, operand);
}

namespace detail {

// Four lanes hold a row of A and of C, and a column of B. A register has two elements of 16 bits, or four of 8 bits; those
// of 32 bits and of 64 (`wide`) have one each.
constexpr Place block_a(bool wide, int lane, int i) {
  if (wide) return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
  return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}
constexpr Place block_b(bool wide, int lane, int i) {
  if (wide) return {lane % 4 + i * 4, lane / 4};
  return {lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4};
}
constexpr Place block_c(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

constexpr Place narrow_a(int lane, int i) { return {lane / 4 + i / 4 % 2 * 8, lane % 4 * 4 + i % 4 + i / 8 * 16}; }
constexpr Place group_place(const Kind& kind, Operand operand, int thread, int i) {
  const int lane = thread % 32;
  Place found = operand == Operand::c     ? block_c(lane, i % 4)
                : kind.type == Type::e4m3 ? narrow_a(lane, i)
                                          : block_a(kind.type == Type::tf32, lane, i);
  found.row += thread / 32 * 16;
  if (operand == Operand::c) found.col += i / 4 * 8;
  return found;
}

constexpr Place transposed(Place place) { return {place.col, place.row}; }

}  // namespace detail

// The position of a lane's element i in its tile, i < held().
constexpr Place place(const Kind& kind, Operand operand, int lane, int i) {
  if (kind.op == Op::wgmma) return detail::group_place(kind, operand, lane, i);
  const auto [m, n, k] = kind.shape;
  if (m == 8 && n == 32) {  // computed as its transpose
    const Kind other = {kind.op, kind.type, {n, m, k}};
    const Operand role = operand == Operand::a ? Operand::b : operand == Operand::b ? Operand::a : Operand::c;
    return detail::transposed(place(other, role, lane, i));
  }
  const bool wide = kind.type == Type::tf32 || kind.type == Type::f64;
  const int of_block = operand == Operand::a ? k / 2 : operand == Operand::b ? k / 4 : 4;  // elements of a lane
  const int at = i % distinct(kind, operand), block = at / of_block, in = at % of_block;
  Place found = operand == Operand::a   ? detail::block_a(wide, lane, in)
                : operand == Operand::b ? detail::block_b(wide, lane, in)
                                        : detail::block_c(lane, in);
  // The second block is below the first in a tile of 32 rows, and to the right of it in one of 16 columns.
  (operand != Operand::b && m == 32 ? found.row : found.col) += block * (m == 32 ? 16 : 8);
  return found;
}

}  // namespace cairn::fragment
