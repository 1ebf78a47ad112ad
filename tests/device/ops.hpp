// The operations of device/ that a warp or a warpgroup makes as one, each as a kernel from tiles of bytes to tiles of
// bytes: compiled for the emulator into the test's own program, and by nvcc into a shared object, with one table in
// both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/fragment.hpp"

namespace cairn::device_ops {

using fragment::Kind;
using fragment::Operand;
using fragment::Shape;
using fragment::Type;

enum class What : std::uint8_t {
  matrices,    // ldmatrix: 32 rows of 16 bytes and which row each lane names -> a lane's registers
  transposed,  // the same, transposed
  stored,      // stmatrix: a lane's registers, and a byte that says which row each lane names -> 32 rows of 16 bytes
  stored_transposed,
  mma,       // the registers of all lanes: A, B and the sums -> the sums
  operands,  // memory of A's size and of B's -> x[] of wmma::load_matrix_sync, in all ways
  sums,  // memory of C's size -> x[] of load_matrix_sync, by rows and by columns, and what store_matrix_sync makes
  wmma,  // memory of A's, B's and C's size -> the sums by rows, for all ways to read A and B
  wgmma  // A by rows, B by columns, C by rows -> the sums by rows, for all orders of pieces in shared memory
};

struct Op {
  const char* name;
  What what;
  Kind kind = {};
  bool half_in = false, half_out = false;  // of sums, and of the sums of wmma
  int count = 0;                           // of matrices
  // Of wgmma: which operand lies along its rows (of B: columns), and whether A is in registers.
  bool a_along_rows = false, b_along_rows = false, in_registers = false;
};

constexpr Kind kMma16 = {fragment::Op::mma, Type::f16, {16, 8, 16}},
               kMma8 = {fragment::Op::mma, Type::f16, {16, 8, 8}};
constexpr Kind as(Kind kind, Type type) { return {kind.op, type, kind.shape}; }
constexpr Kind wgmma_of(Type type, int n) {
  return {fragment::Op::wgmma, type, {64, n, fragment::group_depth(type)}};
}
constexpr Kind wmma_of(Type type, int m, int n, int k) { return {fragment::Op::wmma, type, {m, n, k}}; }

inline constexpr Op ops[] = {
    {"ldmatrix x1", What::matrices, {}, false, false, 1},
    {"ldmatrix x2", What::matrices, {}, false, false, 2},
    {"ldmatrix x4", What::matrices, {}, false, false, 4},
    {"ldmatrix x1 trans", What::transposed, {}, false, false, 1},
    {"ldmatrix x2 trans", What::transposed, {}, false, false, 2},
    {"ldmatrix x4 trans", What::transposed, {}, false, false, 4},
    {"stmatrix x1", What::stored, {}, false, false, 1},
    {"stmatrix x2", What::stored, {}, false, false, 2},
    {"stmatrix x4", What::stored, {}, false, false, 4},
    {"stmatrix x1 trans", What::stored_transposed, {}, false, false, 1},
    {"stmatrix x2 trans", What::stored_transposed, {}, false, false, 2},
    {"stmatrix x4 trans", What::stored_transposed, {}, false, false, 4},
    {"mma f16 16x8x16", What::mma, kMma16},
    {"mma f16 16x8x8", What::mma, kMma8},
    {"mma bf16 16x8x16", What::mma, as(kMma16, Type::bf16)},
    {"mma bf16 16x8x8", What::mma, as(kMma8, Type::bf16)},
    {"mma tf32 16x8x8", What::mma, as(kMma8, Type::tf32)},
    {"wmma operands f16 16x16x16", What::operands, wmma_of(Type::f16, 16, 16, 16)},
    {"wmma operands f16 32x8x16", What::operands, wmma_of(Type::f16, 32, 8, 16)},
    {"wmma operands f16 8x32x16", What::operands, wmma_of(Type::f16, 8, 32, 16)},
    {"wmma operands bf16 16x16x16", What::operands, wmma_of(Type::bf16, 16, 16, 16)},
    {"wmma operands bf16 32x8x16", What::operands, wmma_of(Type::bf16, 32, 8, 16)},
    {"wmma operands bf16 8x32x16", What::operands, wmma_of(Type::bf16, 8, 32, 16)},
    {"wmma operands tf32 16x16x8", What::operands, wmma_of(Type::tf32, 16, 16, 8)},
    {"wmma sums f32 16x16x16", What::sums, wmma_of(Type::f16, 16, 16, 16)},
    {"wmma sums f32 32x8x16", What::sums, wmma_of(Type::f16, 32, 8, 16)},
    {"wmma sums f32 8x32x16", What::sums, wmma_of(Type::f16, 8, 32, 16)},
    {"wmma sums f32 16x16x8", What::sums, wmma_of(Type::tf32, 16, 16, 8)},
    {"wmma sums f16 16x16x16", What::sums, wmma_of(Type::f16, 16, 16, 16), true, true},
    {"wmma sums f16 32x8x16", What::sums, wmma_of(Type::f16, 32, 8, 16), true, true},
    {"wmma sums f16 8x32x16", What::sums, wmma_of(Type::f16, 8, 32, 16), true, true},
    {"wmma f16 16x16x16", What::wmma, wmma_of(Type::f16, 16, 16, 16)},
    {"wmma f16 32x8x16", What::wmma, wmma_of(Type::f16, 32, 8, 16)},
    {"wmma f16 8x32x16", What::wmma, wmma_of(Type::f16, 8, 32, 16)},
    {"wmma f16 16x16x16, f16 sums", What::wmma, wmma_of(Type::f16, 16, 16, 16), true, true},
    {"wmma f16 32x8x16, f16 sums", What::wmma, wmma_of(Type::f16, 32, 8, 16), true, true},
    {"wmma f16 8x32x16, f16 sums", What::wmma, wmma_of(Type::f16, 8, 32, 16), true, true},
    {"wmma f16 16x16x16, f16 to f32 sums", What::wmma, wmma_of(Type::f16, 16, 16, 16), true, false},
    {"wmma f16 16x16x16, f32 to f16 sums", What::wmma, wmma_of(Type::f16, 16, 16, 16), false, true},
    {"wmma bf16 16x16x16", What::wmma, wmma_of(Type::bf16, 16, 16, 16)},
    {"wmma bf16 32x8x16", What::wmma, wmma_of(Type::bf16, 32, 8, 16)},
    {"wmma bf16 8x32x16", What::wmma, wmma_of(Type::bf16, 8, 32, 16)},
    {"wmma tf32 16x16x8", What::wmma, wmma_of(Type::tf32, 16, 16, 8)},
    {"wgmma f16 64x8x16", What::wgmma, wgmma_of(Type::f16, 8)},
    {"wgmma f16 64x256x16", What::wgmma, wgmma_of(Type::f16, 256)},
    {"wgmma f16 64x72x16, a along rows", What::wgmma, wgmma_of(Type::f16, 72), false, false, 0, true, false},
    {"wgmma f16 64x72x16, b along rows", What::wgmma, wgmma_of(Type::f16, 72), false, false, 0, false, true},
    {"wgmma f16 64x128x16, both along rows", What::wgmma, wgmma_of(Type::f16, 128), false, false, 0, true, true},
    {"wgmma f16 64x64x16, a in registers", What::wgmma, wgmma_of(Type::f16, 64), false, false, 0, false, false, true},
    {"wgmma bf16 64x128x16", What::wgmma, wgmma_of(Type::bf16, 128)},
    {"wgmma bf16 64x24x16, both along rows", What::wgmma, wgmma_of(Type::bf16, 24), false, false, 0, true, true},
    {"wgmma bf16 64x24x16, a in registers, b along rows", What::wgmma, wgmma_of(Type::bf16, 24), false, false, 0,
     false, true, true},
    {"wgmma tf32 64x64x8", What::wgmma, wgmma_of(Type::tf32, 64)},
    {"wgmma tf32 64x16x8, a in registers", What::wgmma, wgmma_of(Type::tf32, 16), false, false, 0, false, false,
     true},
    {"wgmma e4m3 64x64x32", What::wgmma, wgmma_of(Type::e4m3, 64)},
    {"wgmma e4m3 64x16x32, a in registers", What::wgmma, wgmma_of(Type::e4m3, 16), false, false, 0, false, false,
     true},
};
inline constexpr int kOps = static_cast<int>(sizeof ops / sizeof ops[0]);
// Of wmma: A by rows or by columns, and B; bit 0 and bit 1 say by columns. Of wgmma: how the pieces of both are
// exchanged.
inline constexpr int kWays = 4;

constexpr int elements(const Op& op, Operand operand) {
  return rows(op.kind.shape, operand) * cols(op.kind.shape, operand);
}
constexpr int bytes_each(const Op& op) { return op.kind.type == Type::tf32 ? 4 : op.kind.type == Type::e4m3 ? 1 : 2; }
constexpr int sum_bytes(bool half) { return half ? 2 : 4; }

// Where in a tile's input B begins, and the sums.
constexpr int b_begins(const Op& op) { return elements(op, Operand::a) * bytes_each(op); }
constexpr int c_begins(const Op& op) {
  return op.what == What::sums ? 0 : b_begins(op) + elements(op, Operand::b) * bytes_each(op);
}

constexpr bool stores_matrices(const Op& op) { return op.what == What::stored || op.what == What::stored_transposed; }
constexpr bool moves_matrices(const Op& op) {
  return op.what == What::matrices || op.what == What::transposed || stores_matrices(op);
}

// Only sm_90 has them.
constexpr bool of_hopper(const Op& op) { return op.what == What::wgmma || stores_matrices(op); }

// Bytes of a tile: multiples of 32, as wmma wants its memory.
constexpr int in_bytes(const Op& op) {
  if (moves_matrices(op)) return 32 * 16 + 32;
  if (op.what == What::operands) return c_begins(op);
  return c_begins(op) + elements(op, Operand::c) * sum_bytes(op.half_in);
}
constexpr int out_bytes(const Op& op) {
  switch (op.what) {
    case What::matrices:
    case What::transposed: return 32 * 4 * op.count;
    case What::stored:
    case What::stored_transposed: return 32 * 16;
    case What::mma: return 32 * 4 * 4;
    // Of A and of B: by rows and by columns, from global and from shared memory.
    case What::operands: return 32 * 4 * (held(op.kind, Operand::a) + held(op.kind, Operand::b)) * bytes_each(op);
    // x[] twice, memory twice.
    case What::sums: return 4 * elements(op, Operand::c) * sum_bytes(op.half_in);
    case What::wgmma:
    case What::wmma: return kWays * elements(op, Operand::c) * sum_bytes(op.half_out);
  }
  return 0;
}

// What host code works out of the table, as constants: device code may not ask for it.
template <int index> struct Facts {
  static constexpr Op op = ops[index];
  static constexpr Shape s = op.kind.shape;
  static constexpr int in = in_bytes(op), out = out_bytes(op), b = b_begins(op), c = c_begins(op);
  static constexpr int a_words = elements(op, Operand::a) * bytes_each(op) / 128;  // of a lane
  static constexpr int held_a = held(op.kind, Operand::a), held_b = held(op.kind, Operand::b);
};

// mma of f64 has operations of its own (mma_f64_ops.hpp), from doubles to doubles, and a test of its own.
inline constexpr Kind kKindsF64[] = {{fragment::Op::mma, Type::f64, {16, 8, 16}},
                                     {fragment::Op::mma, Type::f64, {16, 8, 8}},
                                     {fragment::Op::mma, Type::f64, {16, 8, 4}},
                                     {fragment::Op::mma, Type::f64, {8, 8, 4}}};
inline constexpr int kCountF64 = 4;

// What each build gives. `run` works on op number `op` and on host memory, tile after tile; null, or what went wrong.
struct Entry {
  bool (*present)();  // a device of this kind
  bool (*hopper)();   // and it is an sm_90
  const char* (*run)(int op, int tiles, const void* in, void* out);
  const char* (*run_f64)(int which, int tiles, const double* in, double* out);  // of kKindsF64
};

extern const Entry* gpu;  // null where there is none, or where the emulator is tested

}  // namespace cairn::device_ops

extern "C" const cairn::device_ops::Entry* cairn_device_ops_emulated(void);
extern "C" const cairn::device_ops::Entry* cairn_device_ops_gpu(void);  // in the shared object
