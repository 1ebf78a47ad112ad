#include "lab/verify/checksum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cairn/numbers.hpp"
#include "lab/random.hpp"
#include "lab/workers.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::lab::verify {
namespace {

constexpr double kMostProducts = 0x1p31;
constexpr int kSampledRows = 32;
constexpr std::int64_t kLargestFactor = 1 << 12;  // with k and n below 2^20, every sum stays below 2^53

// X x for a matrix of `lines` lines of `length` numbers, or its transpose times x.
template <class T>
std::vector<double> times(const void* matrix, std::int64_t lines, std::int64_t length, std::int64_t ld,
                          bool transposed, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(transposed ? length : lines), 0.0);
  const auto* X = static_cast<const T*>(matrix);
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  // Each thread has its own part of y: rows of X, or, transposed, columns.
  const auto rows = [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < length; ++j) sum += static_cast<double>(X[i * ld + j]) * x[at(j)];
      y[at(i)] = sum;
    }
  };
  const auto columns = [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = 0; i < lines; ++i) {
      for (std::int64_t j = begin; j < end; ++j) y[at(j)] += static_cast<double>(X[i * ld + j]) * x[at(i)];
    }
  };
  const int workers = workers_for(lines * length);
  if (transposed) {
    cpu::spread(workers, length, columns);
  } else {
    cpu::spread(workers, lines, rows);
  }
  return y;
}

std::vector<double> times(Type type, const void* matrix, const Stored& stored, bool transposed,
                          const std::vector<double>& x) {
  return with_type(type,
                   [&]<class T>() { return times<T>(matrix, stored.major, stored.minor, stored.ld, transposed, x); });
}

// A pointer so many elements further on; null stays null.
template <class Bytes> Bytes* past(Bytes* from, std::int64_t elements, Type type) {
  return from == nullptr ? nullptr : from + elements * size_of(type);
}
const std::byte* past(const void* from, std::int64_t elements, Type type) {
  return past(static_cast<const std::byte*>(from), elements, type);
}
Found past(const Found& from, std::int64_t elements, Type type) {
  return {past(from.C, elements, type), past(from.before, elements, type)};
}

// Product `batch` of a call, as a call of its own.
Call product(const Call& call, std::int64_t batch) {
  const Problem& p = call.problem;
  Call one = call;
  one.problem.batch = 1;
  one.A = past(call.A, batch * p.stride_a, p.in);
  one.B = past(call.B, batch * p.stride_b, p.in);
  one.C = past(static_cast<std::byte*>(call.C), batch * p.stride_c, p.out);
  one.bias = past(call.bias, batch * p.stride_bias, p.bias_type);
  one.scale_a = past(call.scale_a, batch * p.stride_scale_a, accumulator(p.in));
  one.scale_b = past(call.scale_b, batch * p.stride_scale_b, accumulator(p.in));
  return one;
}

// Row i of a product, as a product of its own.
Call row_of(const Call& one, std::int64_t i) {
  const Problem& p = one.problem;
  Call row = one;
  row.problem.m = 1;
  row.A = past(one.A, p.op_a == Op::none ? i * p.lda : i, p.in);
  row.C = past(static_cast<std::byte*>(one.C), i * p.ldc, p.out);
  if (p.bias == Bias::rows) row.bias = past(one.bias, i, p.bias_type);
  row.scale_a = past(one.scale_a, cpu::scale_index(p, p.scale_a, i, 0), accumulator(p.in));
  return row;
}

Verdict judge_row(const Case& test, const Call& one, std::int64_t i, const Found& found) {
  Oracle oracle;
  Verdict verdict = judge_elements(test, row_of(one, i), past(found, i * one.problem.ldc, one.problem.out), oracle);
  if (verdict.outcome == Outcome::failed) {
    const char* line = test.problem.order == Order::row ? "row" : "column";
    verdict.what = "in " + std::string(line) + " " + std::to_string(i) + ", counted as if alone: " + verdict.what;
  }
  return verdict;
}

Verdict judge_product(const Case& test, const Call& one, const Found& found, Random& random) {
  Verdict all;
  // A scalar that is NaN makes every sum NaN, and checksums of NaN say nothing.
  const bool numbers = !std::isnan(one.alpha) && !std::isnan(one.beta);
  if (test.mode == Mode::exact && numbers && !one.problem.has_epilogue()) {
    for (int vector = 0; vector < 2; ++vector) {
      const std::int64_t i = first_wrong_row(one, found.C, random.bits());
      if (i < 0) continue;
      Verdict verdict = judge_row(test, one, i, found);
      if (verdict.outcome == Outcome::failed) return verdict;
      return {Outcome::failed, "the checksum of row " + std::to_string(i) + " of C is wrong", 0, 0};
    }
    return all;
  }
  for (int sample = 0; sample < kSampledRows; ++sample) {
    Verdict verdict = judge_row(test, one, random.integer(0, one.problem.m - 1), found);
    if (verdict.outcome == Outcome::failed) return verdict;
    all = worse(all, verdict);
  }
  return all;
}

}  // namespace

double multiply_adds(const Problem& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}
bool is_large(const Problem& p) { return multiply_adds(p) > kMostProducts; }

std::int64_t first_wrong_row(const Call& one, const std::byte* found, std::uint64_t seed) {
  const Problem& p = one.problem;
  Random random(seed);
  std::vector<double> x(static_cast<std::size_t>(p.n));
  for (double& value : x) value = static_cast<double>(random.integer(1, kLargestFactor));
  const auto products = p.k == 0 || one.alpha == 0 ? std::vector<double>(static_cast<std::size_t>(p.m), 0.0)
                                                   : times(p.in, one.A, p.a(), p.op_a != Op::none,
                                                           times(p.in, one.B, p.b(), p.op_b != Op::none, x));
  const auto before =
      one.beta == 0 ? std::vector<double>(static_cast<std::size_t>(p.m), 0.0) : times(p.out, one.C, p.c(), false, x);
  const auto after = times(p.out, found, p.c(), false, x);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double wanted = one.alpha * products[i] + one.beta * before[i];
    if (!(after[i] == wanted)) return static_cast<std::int64_t>(i);
  }
  return -1;
}

Verdict judge_large(const Case& test, const Call& row, const Found& found) {
  const Problem& p = row.problem;
  Random random(test.seed ^ 0x726f7773u);
  Verdict all;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    Verdict verdict = judge_product(test, product(row, b), past(found, b * p.stride_c, p.out), random);
    if (verdict.outcome == Outcome::failed) return verdict;
    all = worse(all, verdict);
  }
  return all;
}

}  // namespace cairn::lab::verify
