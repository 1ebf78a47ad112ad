// The reference backend: double-double sums, one rounding, one thread.
#include "src/cpu/reference.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "cairn/numbers.hpp"
#include "src/cpu/backend.hpp"
#include "src/cpu/double_double.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/groups.hpp"
#include "src/cpu/scale.hpp"

namespace cairn::cpu {
namespace {

// Which rounding errors are kept in lo. Products of f32 and narrower types are exact in double, so
// that only additions round.
enum class Sum {
  plain,    // none: plain double arithmetic
  sums,     // those of additions
  products  // and those of multiplications, for f64
};

// A block of the problem converted to doubles, small enough for a second-level cache. Every type, layout
// and op is multiplied in this form.
struct Tile {
  static constexpr std::int64_t kRows = 32, kCols = 128, kDepth = 128, kStep = 4;
  static_assert(kDepth % kStep == 0);
  double a[kRows][kDepth];
  double b[kDepth][kCols];
  double hi[kRows][kCols];
  double lo[kRows][kCols];
};

// An operand after its op: element (i, j) is at i * row_step + j * col_step.
struct Operand {
  Type type;
  const void* data;
  std::int64_t row_step, col_step;

  Operand(Type t, const void* base, std::int64_t offset, Op op, std::int64_t ld)
      : type(t),
        data(static_cast<const std::byte*>(base) + offset * size_of(t)),
        row_step(op == Op::none ? ld : 1),
        col_step(op == Op::none ? 1 : ld) {}

  template <std::size_t ld>
  void unpack(std::int64_t i0, std::int64_t j0, std::int64_t rows, std::int64_t cols, double (*out)[ld]) const {
    with_type(type, [&]<class T>() {
      const T* first = static_cast<const T*>(data) + i0 * row_step + j0 * col_step;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) out[i][j] = static_cast<double>(first[i * row_step + j * col_step]);
    });
  }
};

// (hi, lo) += a * b for kStep values of a and as many rows of b. hi is what plain double arithmetic
// would give, so infinities and NaNs come out of it by themselves; lo collects the errors. The loop
// runs along a row of C and so vectorises; kStep products for each visit to hi and lo save a fifth
// of the time.
template <Sum kept>
void add_products(const double* __restrict a, const double (*__restrict b)[Tile::kCols], double* __restrict hi,
                  double* __restrict lo, std::int64_t cols) {
  for (std::int64_t j = 0; j < cols; ++j) {
    DoubleDouble sum = {hi[j], lo[j]};
    for (std::int64_t kk = 0; kk < Tile::kStep; ++kk) {
      const double product = a[kk] * b[kk][j];
      if constexpr (kept == Sum::plain) {
        sum.hi += std::fabs(product);
      } else {
        const DoubleDouble next = two_sum(sum.hi, product);
        sum.hi = next.hi;
        sum.lo += next.lo;
        if constexpr (kept == Sum::products) sum.lo += std::fma(a[kk], b[kk][j], -product);
      }
    }
    hi[j] = sum.hi;
    lo[j] = sum.lo;
  }
}

// One tile of op(A) * op(B), all of k.
// Scales in blocks multiply the numbers of op(A) and op(B), a block of which is kDepth: e4m3 by f32 is exact.
template <Sum kept>
void multiply(const Call& call, std::int64_t batch, const Operand& A, const Operand& B, std::int64_t i0,
              std::int64_t j0, std::int64_t rows, std::int64_t cols, std::int64_t k, Tile& t) {
  static_assert(Tile::kDepth == Problem::kScaleBlock);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::fill_n(t.hi[i], cols, 0.0);
    std::fill_n(t.lo[i], cols, 0.0);
  }
  for (std::int64_t k0 = 0; k0 < k; k0 += Tile::kDepth) {
    const std::int64_t depth = std::min(Tile::kDepth, k - k0);
    A.unpack(i0, k0, rows, depth, t.a);
    B.unpack(k0, j0, depth, cols, t.b);
    if (in_blocks(call.problem.scale_a)) {
      const std::int64_t block = k0 / Tile::kDepth;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t kk = 0; kk < depth; ++kk) t.a[i][kk] *= scale_a_at(call, batch, i0 + i, block);
      for (std::int64_t kk = 0; kk < depth; ++kk)
        for (std::int64_t j = 0; j < cols; ++j) t.b[kk][j] *= scale_b_at(call, batch, j0 + j, block);
    }
    // Pads k with zeros to a multiple of kStep; 0 * 0 changes no sum.
    const std::int64_t steps = (depth + Tile::kStep - 1) / Tile::kStep;
    for (std::int64_t kk = depth; kk < steps * Tile::kStep; ++kk) {
      for (std::int64_t i = 0; i < rows; ++i) t.a[i][kk] = 0;
      std::fill_n(t.b[kk], cols, 0.0);
    }
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t kk = 0; kk < depth; kk += Tile::kStep)
        add_products<kept>(t.a[i] + kk, t.b + kk, t.hi[i], t.lo[i], cols);
  }
}

// Calls sink(batch, i, j, x) with every element of op(A) * op(B), or 0 where A and B are not read.
template <Sum kept, class Sink> void each_product(const Call& call, Tile& t, const Sink& sink) {
  const Problem& p = call.problem;
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    const bool reads = reads_inputs(call);
    const Operand A(p.in, call.A, reads ? batch * p.stride_a : 0, p.op_a, p.lda);
    const Operand B(p.in, call.B, reads ? batch * p.stride_b : 0, p.op_b, p.ldb);
    for (std::int64_t i0 = 0; i0 < p.m; i0 += Tile::kRows) {
      for (std::int64_t j0 = 0; j0 < p.n; j0 += Tile::kCols) {
        const std::int64_t rows = std::min(Tile::kRows, p.m - i0);
        const std::int64_t cols = std::min(Tile::kCols, p.n - j0);
        multiply<kept>(call, batch, A, B, i0, j0, rows, cols, reads ? p.k : 0, t);
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < cols; ++j) sink(batch, i0 + i, j0 + j, DoubleDouble{t.hi[i][j], t.lo[i][j]});
      }
    }
  }
}

// Calls sink(batch, i, j, c, x): where the element of C lies, and what belongs there but for the activation. beta = 0
// does not read it.
template <class T, class Sink> void each_result(const Call& call, Tile& t, const Sink& sink) {
  const Problem& p = call.problem;
  const bool reads = reads_inputs(call);
  const auto finish = [&](std::int64_t batch, std::int64_t i, std::int64_t j, DoubleDouble product) {
    T* c = static_cast<T*>(call.C) + batch * p.stride_c + i * p.ldc + j;
    DoubleDouble result = reads ? scale(call.alpha, product) : DoubleDouble{};
    if (reads && p.is_scaled() && !in_blocks(p.scale_a))
      result = scale(scale_a_at(call, batch, i), scale(scale_b_at(call, batch, j), result));
    if (call.beta != 0) result = add(result, normalize(two_product(call.beta, static_cast<double>(*c))));
    if (p.bias != Bias::none) result = add(result, {bias_at(call, batch, i, j), 0});
    sink(batch, i, j, c, result);
  };
  if (p.in == Type::f64 || in_blocks(p.scale_a)) {
    each_product<Sum::products>(call, t, finish);
  } else {
    each_product<Sum::sums>(call, t, finish);
  }
}

std::int64_t dense_index(const Problem& p, std::int64_t batch, std::int64_t i, std::int64_t j) {
  return (batch * p.m + i) * p.n + j;
}

// Takes every pair of types. tf32 and split allow less accuracy than f32, so it serves them too.
std::string refuses(const Problem&) { return {}; }

std::size_t workspace_bytes(const Problem&) { return sizeof(Tile); }

Status run(const Call& call, std::span<std::byte> workspace) {
  if (call.problem.is_grouped()) {
    each_group(call, [&](const Call& one, std::int64_t) { (void)run(one, workspace); });  // which never fails
    return {};
  }
  if (!reads_inputs(call)) {
    scale_c(call);
    return {};
  }
  Tile& tile = *::new (workspace.data()) Tile;
  with_type(call.problem.out, [&]<class T>() {
    const Problem& p = call.problem;
    T* const before = p.before == Before::stored ? static_cast<T*>(call.before) : nullptr;
    each_result<T>(call, tile, [&](std::int64_t, std::int64_t, std::int64_t, T* c, DoubleDouble x) {
      if (before != nullptr) before[c - static_cast<T*>(call.C)] = round_once<T>(x);
      *c = p.activation == Activation::none ? round_once<T>(x) : static_cast<T>(activated(p.activation, x.hi + x.lo));
    });
  });
  return {};
}

}  // namespace

void exact(const Call& call, double* hi, double* lo) {
  const auto tile = std::make_unique_for_overwrite<Tile>();
  with_type(call.problem.out, [&]<class T>() {
    each_result<T>(call, *tile, [&](std::int64_t batch, std::int64_t i, std::int64_t j, T*, DoubleDouble x) {
      const std::int64_t at = dense_index(call.problem, batch, i, j);
      hi[at] = x.hi;
      lo[at] = x.lo;
    });
  });
}

void magnitude(const Call& call, double* out) {
  const Problem& p = call.problem;
  const bool reads = reads_inputs(call);
  const auto tile = std::make_unique_for_overwrite<Tile>();
  with_type(p.out, [&]<class T>() {
    each_product<Sum::plain>(call, *tile, [&](std::int64_t batch, std::int64_t i, std::int64_t j, DoubleDouble sum) {
      double size = reads ? std::fabs(call.alpha) * sum.hi : 0;
      if (reads && p.is_scaled()) size *= std::fabs(scale_at(call, batch, i, j));
      size += std::fabs(bias_at(call, batch, i, j));
      if (call.beta != 0) {
        const T c = static_cast<const T*>(call.C)[batch * p.stride_c + i * p.ldc + j];
        size += std::fabs(call.beta * static_cast<double>(c));
      }
      out[dense_index(p, batch, i, j)] = size;
    });
  });
}

const Backend reference = {"cpu/reference", "double-double sums, rounded once; slow and right", refuses,
                           workspace_bytes, run};

}  // namespace cairn::cpu
