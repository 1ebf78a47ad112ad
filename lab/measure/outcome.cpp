#include "lab/measure/outcome.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cairn/numbers.hpp"
#include "lab/leading.hpp"
#include "lab/measure/inputs.hpp"
#include "lab/random.hpp"
#include "lab/verify/judge.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/groups.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::measure {
namespace {

constexpr int kElements = 256;

double value(Type type, const void* elements, std::int64_t index) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<const T*>(elements)[index]); });
}

// The error of arithmetic narrower than the storage type, relative to the magnitude: products of rounded inputs, and
// accumulators of which hardware keeps few bits. Generous, since the contender has passed the exact check already.
double narrow_arithmetic(const Problem& p) {
  if (p.compute == Compute::fast) return 0x1p-6;
  if (p.in == Type::f16 || p.in == Type::bf16 || p.compute != Compute::native) return 0x1p-8;
  return 0;
}

// One element of a row-major problem: is it what A, B and, if beta is not 0, the C of `before` make it?
std::string wrong_element(const Call& row, const void* before, Work work, std::int64_t batch, std::int64_t i,
                          std::int64_t j) {
  const Problem& p = row.problem;
  const std::int64_t at = batch * p.stride_c + i * p.ldc + j;
  const double found = value(p.out, row.C, at);
  const auto a = [&](std::int64_t l) {
    return value(p.in, row.A, batch * p.stride_a + (p.op_a == Op::none ? i * p.lda + l : l * p.lda + i));
  };
  if (work == Work::move) {
    const double moved = a(j);
    return found == moved ? "" : fmt::format("C[{}][{}] is {} and must be {}", i, j, found, moved);
  }
  double exact = 0, magnitude = 0;
  for (std::int64_t l = 0; l < p.k; ++l) {
    double product =
        a(l) * value(p.in, row.B, batch * p.stride_b + (p.op_b == Op::none ? l * p.ldb + j : j * p.ldb + l));
    if (cpu::in_blocks(p.scale_a)) {
      const std::int64_t block = l / Problem::kScaleBlock;
      product *= cpu::scale_a_at(row, batch, i, block) * cpu::scale_b_at(row, batch, j, block);
    }
    exact += product;
    magnitude += std::abs(product);
  }
  const double added = row.beta == 0 ? 0 : row.beta * value(p.out, before, at);
  const double bias = cpu::bias_at(row, batch, i, j);
  const double factor = row.alpha * cpu::scale_at(row, batch, i, j);
  exact = factor * exact + added + bias;
  magnitude = std::abs(factor) * magnitude + std::abs(added) + std::abs(bias);
  // The bound of Compute::fast is for terms of one sign and too wide at a large k; these terms have both signs.
  Problem bounded = p;
  if (p.compute == Compute::fast) bounded.compute = Compute::native;
  const verify::Bounds bounds(bounded, row.alpha);
  const double after = cpu::activated(p.activation, exact), narrow = narrow_arithmetic(p) * magnitude;
  const double allowed = p.activation == Activation::none
                             ? bounds.at(magnitude, exact).rigorous + narrow
                             : bounds.activated(magnitude, exact, after).rigorous + 2 * narrow;
  exact = after;
  if (std::abs(found - exact) <= allowed) return "";
  return fmt::format("C[{}][{}] is {} and must be within {:.2g} of {}", i, j, found, allowed, exact);
}

// The same of a call with groups: row i is one of its group's.
std::string wrong_of_any(const Call& row, const void* before, Work work, std::int64_t batch, std::int64_t i,
                         std::int64_t j) {
  if (!row.problem.is_grouped()) return wrong_element(row, before, work, batch, i, j);
  std::string wrong;
  const std::int64_t line = row.problem.ldc * size_of(row.problem.out);
  cpu::each_group(row, [&](const Call& one, std::int64_t first) {
    if (i < first || i >= first + one.problem.m) return;
    const void* here = before == nullptr ? nullptr : static_cast<const std::byte*>(before) + first * line;
    wrong = wrong_element(one, here, work, 0, i - first, j);
    if (!wrong.empty()) wrong += fmt::format(", in the group that begins with row {}", first);
  });
  return wrong;
}

// The first element of C that is NaN, in elements from its start; -1 if there is none. The padding of lines stays NaN.
std::int64_t first_unwritten(const Problem& p, const std::vector<std::byte>& c) {
  const Stored stored = p.c();
  if (padding(stored) == 0) return first_nan(p.out, c.data(), extent(stored, p.batch, p.stride_c));
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t line = 0; line < stored.major; ++line) {
      const std::int64_t start = b * p.stride_c + line * stored.ld;
      const std::int64_t at = first_nan(p.out, c.data() + start * size_of(p.out), stored.minor);
      if (at >= 0) return start + at;
    }
  }
  return -1;
}

}  // namespace

std::string wrong_outcome(const Ring& ring, Work work, std::uint64_t seed) {
  if (work == Work::probe) return "";  // its result means nothing
  const std::vector<std::byte> c = ring.read_c(0);
  const Problem& asked = ring.problem();
  if (const std::int64_t at = first_unwritten(asked, c); at >= 0)
    return fmt::format("element {} of the timed C was not written", at);

  Call call = ring.call(0);
  call.A = ring.host_a().data(), call.B = ring.host_b().data(), call.bias = ring.host_bias().data();
  call.scale_a = ring.host_scale_a().data(), call.scale_b = ring.host_scale_b().data();
  call.ends = ring.host_ends();
  call.C = const_cast<std::byte*>(c.data());  // only read here
  const Call row = dispatch::to_row(dispatch::with_rounded_scalars(call));
  const Problem& p = row.problem;
  Random random(seed);
  for (int n = 0; n < kElements; ++n) {
    const bool last = n == 0;  // the last element: a forgotten edge shows here
    const std::int64_t i = last ? p.m - 1 : random.integer(0, p.m - 1);
    const std::int64_t j = last ? p.n - 1 : random.integer(0, p.n - 1);
    const std::int64_t batch = last ? p.batch - 1 : random.integer(0, p.batch - 1);
    if (std::string wrong = wrong_of_any(row, ring.host_c().data(), work, batch, i, j); !wrong.empty())
      return "the timed " + wrong;
  }
  return "";
}

std::vector<double> first_values(const Ring& ring) {
  const std::vector<std::byte> c = ring.read_c(0);
  const Problem& p = ring.problem();
  std::vector<double> values;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(3, extent(p.c(), p.batch, p.stride_c)); ++i)
    values.push_back(value(p.out, c.data(), i));
  return values;
}

}  // namespace cairn::lab::measure
