// What every rung has in common: the arguments of its kernel, the signature of its launcher, and its card (Rung). A
// rung's file includes this, kernels/parts/ and device/, and no other header of this project.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cairn/types.hpp"
#include "kernels/choice.hpp"

namespace cairn {

using Stream = void*;  // a cudaStream_t

// The arguments of a launcher: a row-major, checked problem. Batches are a loop around it unless the card says that
// the rung takes them itself.
struct RungArgs {
  const Problem& problem;
  double alpha;
  const void* A;
  const void* B;
  double beta;
  void* C;
  int sms = 1;                        // of the GPU
  std::span<std::byte> scratch = {};  // at least as many bytes as `choice` asks for
  const Choice* choice = nullptr;     // the card's answer for this problem; without it, no tile is split along k
  LaunchCache* cache = nullptr;       // of earlier launches of this problem
  const void* bias = nullptr;         // of an epilogue, as the problem asks for it
  void* before = nullptr;
  const void* scale_a = nullptr;
  const void* scale_b = nullptr;
  const std::int32_t* ends = nullptr;  // of groups of rows

  // With alpha or k equal to 0 nothing is multiplied: A and B may be null, and with k == 0 alpha may even be NaN.
  std::int64_t depth() const { return alpha == 0 ? 0 : problem.k; }
  // Nothing to write: C is empty, or C = 1 * C, which keeps its bits (arithmetic would change those of a NaN).
  bool idle() const {
    if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return true;
    return depth() == 0 && beta == 1 && !problem.has_epilogue();
  }
};

// The same with types, by value: the arguments of a kernel. Row-major: op(A) is m x k, op(B) is k x n, C is m x n.
//
// If nothing is multiplied, alpha and k are set to 0 here, once, so that the main loop of a kernel does not run and
// its alpha * acc is 0.
template <class In, class Out = In, class Acc = Out> struct GemmArgs {
  std::int64_t m, n, k;
  Op op_a, op_b;
  Acc alpha;
  const In* A;
  std::int64_t lda;
  const In* B;
  std::int64_t ldb;
  Acc beta;
  Out* C;
  std::int64_t ldc;

  explicit GemmArgs(const RungArgs& r)
      : m(r.problem.m),
        n(r.problem.n),
        k(r.problem.k),
        op_a(r.problem.op_a),
        op_b(r.problem.op_b),
        alpha(static_cast<Acc>(r.alpha)),
        A(static_cast<const In*>(r.A)),
        lda(r.problem.lda),
        B(static_cast<const In*>(r.B)),
        ldb(r.problem.ldb),
        beta(static_cast<Acc>(r.beta)),
        C(static_cast<Out*>(r.C)),
        ldc(r.problem.ldc) {
    if (k == 0 || alpha == 0) k = 0, alpha = 0;
  }

  std::int64_t rows() const { return m; }
  // Nothing to write: C is empty, or C = 1 * C, which keeps its bits (arithmetic would change those of a NaN).
  bool idle() const { return m == 0 || n == 0 || (k == 0 && beta == 1); }
  // Rows first … first + count - 1 of C, as a separate problem.
  GemmArgs slab(std::int64_t first, std::int64_t count) const {
    GemmArgs part = *this;
    part.m = count;
    if (k > 0) part.A += op_a == Op::none ? first * lda : first;  // with k == 0 A may be null
    part.C += first * ldc;
    return part;
  }
};

// The arguments of a transpose: A is height x width, and C = Aᵀ is width x height.
template <class T> struct TransposeArgs {
  std::int64_t height, width;
  const T* A;
  std::int64_t lda;
  T* C;
  std::int64_t ldc;

  explicit TransposeArgs(const RungArgs& r)
      : height(r.problem.n),
        width(r.problem.m),
        A(static_cast<const T*>(r.A)),
        lda(r.problem.lda),
        C(static_cast<T*>(r.C)),
        ldc(r.problem.ldc) {}

  std::int64_t rows() const { return height; }
  bool idle() const { return height == 0 || width == 0; }
  // Rows first … first + count - 1 of A, and the columns of C they become.
  TransposeArgs slab(std::int64_t first, std::int64_t count) const {
    TransposeArgs part = *this;
    part.height = count;
    part.A += first * lda;
    part.C += first;
    return part;
  }
};

enum class RungKind : std::uint8_t {
  gemm,       // C = alpha op(A) op(B) + beta C
  transpose,  // C = Aᵀ: A is stored n x m (op_a = t, k = n), B, alpha and beta are not used
  copy,       // C = A (k = n), likewise
  probe       // measures a ceiling; its result is meaningless and never verified
};

// Layouts as a set of bits, so that a card can list several.
namespace layout {
inline constexpr unsigned nn = 1, nt = 2, tn = 4, tt = 8, all = 15;
constexpr unsigned of(Op a, Op b) { return 1u << ((a == Op::none ? 0 : 2) + (b == Op::none ? 0 : 1)); }
}  // namespace layout

// A combination of types that a card supports: that of A and B, that of C, and the arithmetic.
struct Types {
  Type in, out;
  Compute compute = Compute::native;
};
namespace types {
inline constexpr Types f32[] = {{Type::f32, Type::f32}};
inline constexpr Types f32_f64[] = {{Type::f32, Type::f32}, {Type::f64, Type::f64}};
inline constexpr Types f16_bf16[] = {
    {Type::f16, Type::f16}, {Type::f16, Type::f32}, {Type::bf16, Type::bf16}, {Type::bf16, Type::f32}};
inline constexpr Types tf32[] = {{Type::f32, Type::f32, Compute::tf32}};
inline constexpr Types f16_bf16_tf32[] = {{Type::f16, Type::f16},
                                          {Type::f16, Type::f32},
                                          {Type::bf16, Type::bf16},
                                          {Type::bf16, Type::f32},
                                          {Type::f32, Type::f32, Compute::tf32}};
inline constexpr Types f16_bf16_tf32_e4m3[] = {{Type::f16, Type::f16},
                                               {Type::f16, Type::f32},
                                               {Type::bf16, Type::bf16},
                                               {Type::bf16, Type::f32},
                                               {Type::f32, Type::f32, Compute::tf32},
                                               {Type::e4m3, Type::e4m3},
                                               {Type::e4m3, Type::f16},
                                               {Type::e4m3, Type::bf16},
                                               {Type::e4m3, Type::f32}};
inline constexpr Types split[] = {{Type::f32, Type::f32, Compute::split}};
}  // namespace types

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A readable name of a tile: "128x128x8 8x8".
struct TileName {
  char text[56];
};

// Formats a TileName: tile_text("%dx%dx%d", bm, bn, bk).
template <class... Numbers> TileName tile_text(const char* format, Numbers... numbers) {
  TileName name{};
  (void)std::snprintf(name.text, sizeof name.text, format, numbers...);
  return name;
}

inline constexpr std::size_t kTookBytes = 8;

// The card of a rung.
struct Rung {
  std::string_view id;     // "simt/04_block_tile": kernels/simt/04_block_tile.cu, docs/trail/simt_04_block_tile.md
  std::string_view title;  // "Block tile"
  RungKind kind;
  std::span<const Types> types;  // types::f32, …
  unsigned layouts;              // layout::nn | …, row-major
  int arch;                      // smallest architecture: 75 for sm_75
  int tiles;                     // their number; tile 0 is the default
  TileName (*tile_name)(int tile);
  Status (*launch)(const RungArgs& args, int tile, Stream stream);
  bool batched = false;  // it takes strided batches itself, in one launch
  // What the rung would run. Null for most rungs: tile 0, no scratch memory and no forecast, so that the library uses
  // them only for problems that no other rung supports.
  Choice (*choose)(const Query& query) = nullptr;
  bool only_arch = false;     // not on newer architectures: it uses instructions that those do not have
  int row_alignment = 1;      // bytes; leading dimensions and batch strides of A and B must be multiples of it
  int pointer_alignment = 1;  // bytes; A and B must be aligned to it,
  bool copies = false;        // unless choose() was told that they are not (Query::aligned): then they are packed
  bool grouped = false;       // it takes groups of rows
  bool epilogue = false;      // it applies the problem's epilogue as it stores C,
  bool (*finishes)(const Problem& row, const Choice& choice) = nullptr;  // and takes groups, so; null: however
  // Where the data decide how a product is computed: the rule in words; and how it was, read from the first kTookBytes of
  // the scratch memory of a launch that has ended.
  const char* rule = "";
  std::string (*took)(const void* scratch) = nullptr;
};

inline Status no_such_tile(int tile, std::size_t tiles) {
  return {Code::invalid_argument,
          "tile " + std::to_string(tile) + " is outside the rung's list of " + std::to_string(tiles)};
}

// Calls f.template operator()<i>() for the tile chosen at run time: every tile is compiled, and an invalid one does
// not compile. The template argument is the tile's number and not the tile, because nvcc (seen with 13.0) generates
// host code that does not compile for a kernel template over a struct in a namespace.
template <const auto& tiles, int i = 0, class F> Status with_tile(int tile, F&& f) {
  if constexpr (i < static_cast<int>(std::size(tiles))) {
    static_assert(tiles[i].valid());
    return tile == i ? f.template operator()<i>() : with_tile<tiles, i + 1>(tile, f);
  } else {
    return no_such_tile(tile, i);
  }
}

// The name of tile i of a list; empty if there is no such tile.
template <const auto& tiles> TileName tile_name(int tile) {
  return tile >= 0 && static_cast<std::size_t>(tile) < std::size(tiles) ? tiles[tile].name() : TileName{};
}

// CUDA permits at most 65535 blocks along y, so a taller matrix is processed in slabs: f(args) is called for each, in
// order. `block_rows` is how many rows one block covers. If there is nothing to write, f is not called.
template <class Args, class F>
Status in_slabs(const Args& args, std::int64_t block_rows, F&& f, std::int64_t most_blocks = 65535) {
  if (args.idle()) return {};
  const std::int64_t most = most_blocks * block_rows;
  for (std::int64_t first = 0; first < args.rows(); first += most) {
    if (Status s = f(args.slab(first, std::min(most, args.rows() - first))); !s.ok()) return s;
  }
  return {};
}

// Transposes and copies move A into C element by element, so op(A), m x k, must be as large as C, m x n.
inline Status same_size(const Problem& p) {
  if (p.k == p.n) return {};
  return {Code::invalid_argument, "k is " + std::to_string(p.k) + "; it must be n, " + std::to_string(p.n) +
                                      ", for op(A) to be as large as C"};
}

}  // namespace cairn
