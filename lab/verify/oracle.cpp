#include "lab/verify/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "cairn/numbers.hpp"
#include "lab/verify/bound.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/reference.hpp"
#include "src/cpu/scale.hpp"

namespace cairn::lab::verify {
namespace {

// The blocks of op(A) and op(B) that fit the caches; kDepth of k have one scale.
constexpr std::int64_t kRows = 64, kCols = 128, kDepth = Problem::kScaleBlock;
constexpr std::int64_t kHigh = 2, kWide = 8;  // the block of C that is accumulated in registers

// A SIMD register of doubles.
#ifdef __AVX__
constexpr std::int64_t kLanes = 4;
#else
constexpr std::int64_t kLanes = 2;
#endif
constexpr std::int64_t kParts = kWide / kLanes;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;
using Bits [[gnu::vector_size(kLanes * sizeof(double))]] = std::int64_t;

Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
void store(double* to, Lanes x) { std::memcpy(to, &x, sizeof x); }
Lanes absolute(Lanes x) { return reinterpret_cast<Lanes>(reinterpret_cast<Bits>(x) & INT64_MAX); }

// A factor that is not 0 and smaller than smallest_factor(), and by how much.
struct Small {
  std::int64_t row, col;
  double missing;
};

// Blocks of op(A) and op(B) as doubles, padded with zeros to full registers, and the small factors in them.
struct Pieces {
  double a[kRows][kDepth];
  double b[kDepth][kCols];
  std::vector<Small> small_a, small_b;
};

// The accumulators of a product, padded to full registers.
struct Sums {
  std::int64_t ld;
  std::vector<double> value, magnitude, excess;
};

std::int64_t up(std::int64_t size, std::int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// Rows and columns from (i0, j0) on of a matrix whose element (i, j) is at i * row_step + j * col_step.
template <class T, std::int64_t ld>
void unpack(const T* from, std::int64_t row_step, std::int64_t col_step, std::int64_t rows, std::int64_t cols,
            double (*to)[ld]) {
  if (col_step == 1) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) to[i][j] = static_cast<double>(from[i * row_step + j]);
  } else {
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i) to[i][j] = static_cast<double>(from[i + j * col_step]);
  }
}
template <std::int64_t ld> void pad(double (*to)[ld], std::int64_t rows, std::int64_t cols, std::int64_t multiple) {
  for (std::int64_t i = 0; i < rows; ++i) std::fill(to[i] + cols, to[i] + up(cols, multiple), 0.0);
}

// kHigh rows by kWide columns, accumulated in registers over kDepth of k; `sized` also sums absolute values.
template <bool sized>
void multiply_block(const double (*a)[kDepth], const double* b, std::int64_t depth, double* value, double* magnitude,
                    std::int64_t ld) {
  Lanes sums[kHigh][kParts], sizes[kHigh][kParts];
  for (std::int64_t i = 0; i < kHigh; ++i) {
    for (std::int64_t j = 0; j < kParts; ++j) {
      sums[i][j] = load(value + i * ld + j * kLanes);
      if constexpr (sized) sizes[i][j] = load(magnitude + i * ld + j * kLanes);
    }
  }
  for (std::int64_t l = 0; l < depth; ++l, b += kCols) {
    Lanes of_b[kParts], size_of_b[kParts];
    for (std::int64_t j = 0; j < kParts; ++j) {
      of_b[j] = load(b + j * kLanes);
      size_of_b[j] = absolute(of_b[j]);
    }
    for (std::int64_t i = 0; i < kHigh; ++i) {
      for (std::int64_t j = 0; j < kParts; ++j) {
        sums[i][j] += a[i][l] * of_b[j];
        if constexpr (sized) sizes[i][j] += std::fabs(a[i][l]) * size_of_b[j];
      }
    }
  }
  for (std::int64_t i = 0; i < kHigh; ++i) {
    for (std::int64_t j = 0; j < kParts; ++j) {
      store(value + i * ld + j * kLanes, sums[i][j]);
      if constexpr (sized) store(magnitude + i * ld + j * kLanes, sizes[i][j]);
    }
  }
}

template <std::int64_t ld>
void find_small(const double (*in)[ld], std::int64_t rows, std::int64_t cols, double smallest,
                std::vector<Small>& out) {
  out.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      const double size = std::fabs(in[i][j]);
      if (size < smallest && size > 0) out.push_back({i, j, smallest - size});
    }
  }
}

// a' b' - |a| |b| = (a' - |a|) |b| + a' (b' - |b|), where x' is |x|, but `smallest` for what is smaller and not 0.
// The summands are 0 unless a factor is that small, which few are.
void add_excess(const Pieces& pieces, std::int64_t rows, std::int64_t cols, double smallest, double* excess,
                std::int64_t ld) {
  for (const auto& [i, l, missing] : pieces.small_a)
    for (std::int64_t j = 0; j < cols; ++j) excess[i * ld + j] += missing * std::fabs(pieces.b[l][j]);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const auto& [l, j, missing] : pieces.small_b) {
      const double size = std::fabs(pieces.a[i][l]);
      excess[i * ld + j] += missing * (size < smallest && size > 0 ? smallest : size);
    }
  }
}

// Adds the sums over one block of k, times its scales, to those over all of k, and makes them zero.
void add_block(const Call& call, std::int64_t batch, std::int64_t block, Sums& from, Sums& to) {
  const Problem& p = call.problem;
  for (std::int64_t i = 0; i < p.m; ++i) {
    const double row = cpu::scale_a_at(call, batch, i, block);
    for (std::int64_t j = 0; j < p.n; ++j) {
      const double scale = row * cpu::scale_b_at(call, batch, j, block);
      const auto at = static_cast<std::size_t>(i * to.ld + j);
      to.value[at] += scale * from.value[at];
      if (!to.magnitude.empty()) to.magnitude[at] += std::fabs(scale) * from.magnitude[at];
      if (!to.excess.empty()) to.excess[at] += std::fabs(scale) * from.excess[at];
    }
  }
  for (auto* numbers : {&from.value, &from.magnitude, &from.excess}) std::ranges::fill(*numbers, 0.0);
}

// op(A) * op(B) of one product of a batch. Says whether there was an excess.
template <class T, bool sized>
bool multiply(const Call& call, std::int64_t batch, const T* A, const T* B, Pieces& pieces, Sums& all) {
  const Problem& p = call.problem;
  const bool blocks = cpu::in_blocks(p.scale_a);
  Sums of_block;
  if (blocks) of_block = all;  // zeros
  Sums& sums = blocks ? of_block : all;
  const double smallest = sized ? smallest_factor(p) : 0;
  const std::int64_t a_row = p.op_a == Op::none ? p.lda : 1, a_col = p.op_a == Op::none ? 1 : p.lda;
  const std::int64_t b_row = p.op_b == Op::none ? p.ldb : 1, b_col = p.op_b == Op::none ? 1 : p.ldb;
  bool any = false;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - l0);
    for (std::int64_t j0 = 0; j0 < p.n; j0 += kCols) {
      const std::int64_t cols = std::min(kCols, p.n - j0);
      unpack(B + l0 * b_row + j0 * b_col, b_row, b_col, depth, cols, pieces.b);
      pad(pieces.b, depth, cols, kWide);
      if (smallest > 0) find_small(pieces.b, depth, cols, smallest, pieces.small_b);
      for (std::int64_t i0 = 0; i0 < p.m; i0 += kRows) {
        const std::int64_t rows = std::min(kRows, p.m - i0);
        unpack(A + i0 * a_row + l0 * a_col, a_row, a_col, rows, depth, pieces.a);
        for (std::int64_t i = rows; i < up(rows, kHigh); ++i) std::fill_n(pieces.a[i], depth, 0.0);
        const std::int64_t first = i0 * sums.ld + j0;
        for (std::int64_t i = 0; i < rows; i += kHigh) {
          for (std::int64_t j = 0; j < cols; j += kWide) {
            const std::int64_t at = first + i * sums.ld + j;
            multiply_block<sized>(pieces.a + i, pieces.b[0] + j, depth, sums.value.data() + at,
                                  sized ? sums.magnitude.data() + at : nullptr, sums.ld);
          }
        }
        if (smallest == 0) continue;
        find_small(pieces.a, rows, depth, smallest, pieces.small_a);
        any |= !pieces.small_a.empty() || !pieces.small_b.empty();
        add_excess(pieces, rows, cols, smallest, sums.excess.data() + first, sums.ld);
      }
    }
    if (blocks) add_block(call, batch, l0 / kDepth, sums, all);
  }
  return any;
}

// All of it in doubles.
template <class In, class Out, bool sized> void work_out(const Call& call, Oracle& oracle) {
  const Problem& p = call.problem;
  const bool reads = cpu::reads_inputs(call);
  const auto pieces = std::make_unique<Pieces>();
  const auto padded = static_cast<std::size_t>(up(p.m, kHigh) * up(p.n, kWide));
  const bool small = sized && smallest_factor(p) > 0;
  bool any = false;
  std::size_t to = 0;
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    Sums sums{up(p.n, kWide), std::vector<double>(padded), std::vector<double>(sized ? padded : 0),
              std::vector<double>(small ? padded : 0)};
    if (reads) {
      any |= multiply<In, sized>(call, batch, static_cast<const In*>(call.A) + batch * p.stride_a,
                                 static_cast<const In*>(call.B) + batch * p.stride_b, *pieces, sums);
    }
    for (std::int64_t i = 0; i < p.m; ++i) {
      const Out* c = static_cast<const Out*>(call.C) + batch * p.stride_c + i * p.ldc;
      auto from = static_cast<std::size_t>(i * sums.ld);
      for (std::int64_t j = 0; j < p.n; ++j, ++from, ++to) {
        const double before = call.beta != 0 ? call.beta * static_cast<double>(c[j]) : 0;
        const double bias = cpu::bias_at(call, batch, i, j);
        double factor = reads ? call.alpha : 0;
        if (reads && p.is_scaled()) factor *= cpu::scale_at(call, batch, i, j);
        oracle.hi[to] = (reads ? factor * sums.value[from] : 0) + before + bias;
        if constexpr (sized) {
          oracle.magnitude[to] =
              (reads ? std::fabs(factor) * sums.magnitude[from] : 0) + std::fabs(before) + std::fabs(bias);
        }
        if (small) oracle.excess[to] = reads ? std::fabs(factor) * sums.excess[from] : 0;
      }
    }
  }
  if (!any) oracle.excess.clear();
}

}  // namespace

Oracle oracle_of(const Case& test, const Call& row) {
  const Problem& p = row.problem;
  const auto count = static_cast<std::size_t>(p.m * p.n * p.batch);
  const bool sized = test.mode != Mode::exact;
  Oracle oracle;
  oracle.hi.resize(count);
  oracle.lo.resize(count);
  oracle.magnitude.resize(sized ? count : 0);
  if (sized && p.in == Type::f64) {
    cpu::exact(row, oracle.hi.data(), oracle.lo.data());
    cpu::magnitude(row, oracle.magnitude.data());
    return oracle;
  }
  if (sized) {
    oracle.excess.resize(smallest_factor(p) > 0 ? count : 0);
    oracle.unit = (static_cast<double>(p.k) + (p.is_scaled() ? 9 : 5)) * 0x1p-53;
  }
  with_type(p.in, [&]<class In>() {
    with_type(p.out, [&]<class Out>() {
      sized ? work_out<In, Out, true>(row, oracle) : work_out<In, Out, false>(row, oracle);
    });
  });
  return oracle;
}

}  // namespace cairn::lab::verify
