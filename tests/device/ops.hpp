// The operations of device/ that a warp makes as one, each as a kernel from tiles of bytes to tiles of bytes:
// compiled for the emulator into the test's own program, and by nvcc into a shared object, with one table in both.
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
  mma,         // the registers of all lanes: A, B and the sums -> the sums
  operands,    // memory of A's size and of B's -> x[] of wmma::load_matrix_sync, in all ways
  sums,  // memory of C's size -> x[] of load_matrix_sync, by rows and by columns, and what store_matrix_sync makes
  wmma   // memory of A's, B's and C's size -> the sums by rows, for all ways to read A and B
};

struct Op {
  const char* name;
  What what;
  Kind kind = {};
  bool half_in = false, half_out = false;  // of sums, and of the sums of wmma
  int count = 0;                           // of matrices
};

constexpr Kind kMma16 = {fragment::Op::mma, Type::f16, {16, 8, 16}},
               kMma8 = {fragment::Op::mma, Type::f16, {16, 8, 8}};
constexpr Kind as(Kind kind, Type type) { return {kind.op, type, kind.shape}; }
constexpr Kind wmma_of(Type type, int m, int n, int k) { return {fragment::Op::wmma, type, {m, n, k}}; }

inline constexpr Op ops[] = {
    {"ldmatrix x1", What::matrices, {}, false, false, 1},
    {"ldmatrix x2", What::matrices, {}, false, false, 2},
    {"ldmatrix x4", What::matrices, {}, false, false, 4},
    {"ldmatrix x1 trans", What::transposed, {}, false, false, 1},
    {"ldmatrix x2 trans", What::transposed, {}, false, false, 2},
    {"ldmatrix x4 trans", What::transposed, {}, false, false, 4},
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
};
inline constexpr int kOps = static_cast<int>(sizeof ops / sizeof ops[0]);
inline constexpr int kWays = 4;  // of wmma: A by rows or by columns, and B; bit 0 and bit 1 say by columns

constexpr int elements(const Op& op, Operand operand) {
  return rows(op.kind.shape, operand) * cols(op.kind.shape, operand);
}
constexpr int bytes_each(const Op& op) { return op.kind.type == Type::tf32 ? 4 : 2; }
constexpr int sum_bytes(bool half) { return half ? 2 : 4; }

// Where in a tile's input B begins, and the sums.
constexpr int b_begins(const Op& op) { return elements(op, Operand::a) * bytes_each(op); }
constexpr int c_begins(const Op& op) {
  return op.what == What::sums ? 0 : b_begins(op) + elements(op, Operand::b) * bytes_each(op);
}

// Bytes of a tile: multiples of 32, as wmma wants its memory.
constexpr int in_bytes(const Op& op) {
  if (op.what == What::matrices || op.what == What::transposed) return 32 * 16 + 32;
  if (op.what == What::operands) return c_begins(op);
  return c_begins(op) + elements(op, Operand::c) * sum_bytes(op.half_in);
}
constexpr int out_bytes(const Op& op) {
  switch (op.what) {
    case What::matrices:
    case What::transposed: return 32 * 4 * op.count;
    case What::mma: return 32 * 4 * 4;
    // Of A and of B: by rows and by columns, from global and from shared memory.
    case What::operands: return 32 * 4 * (held(op.kind, Operand::a) + held(op.kind, Operand::b)) * bytes_each(op);
    // x[] twice, memory twice.
    case What::sums: return 4 * elements(op, Operand::c) * sum_bytes(op.half_in);
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

// What each build gives. `run` works on op number `op` and on host memory, tile after tile; null, or what went wrong.
struct Entry {
  bool (*present)();  // a device of this kind
  const char* (*run)(int op, int tiles, const void* in, void* out);
};

}  // namespace cairn::device_ops

extern "C" const cairn::device_ops::Entry* cairn_device_ops_emulated(void);
extern "C" const cairn::device_ops::Entry* cairn_device_ops_gpu(void);  // in the shared object
