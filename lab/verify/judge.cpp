#include "lab/verify/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cairn/numbers.hpp"
#include "lab/verify/checksum.hpp"
#include "lab/verify/limits.hpp"
#include "src/cpu/double_double.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/groups.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::verify {
namespace {

Verdict failed(std::string what) { return {Outcome::failed, std::move(what), 0, 0}; }

double largest(const void* numbers, Type type, std::int64_t elements, std::int64_t batch, std::int64_t stride) {
  double most = elements == 0 ? 1 : 0;
  with_type(type, [&]<class T>() {
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < elements; ++i)
        most = std::max(most, std::abs(static_cast<double>(static_cast<const T*>(numbers)[b * stride + i])));
  });
  return most;
}

// The most that a sum is multiplied by, and with it what underflowed in it.
double largest_factor(const Call& c) {
  const Problem& p = c.problem;
  if (!p.is_scaled() || p.k == 0 || c.alpha == 0) return c.alpha;
  const Type type = accumulator(p.in);
  return c.alpha * largest(c.scale_a, type, p.scale_a_elements(), p.batch, p.stride_scale_a) *
         largest(c.scale_b, type, p.scale_b_elements(), p.batch, p.stride_scale_b);
}

// The first byte at which two allocations differ.
std::optional<std::size_t> first_change(const Guarded& before, const Guarded& after) {
  // Finding the byte is slow, and there is almost never a difference, so the whole is compared first.
  if (std::memcmp(before.bytes.data(), after.bytes.data(), before.bytes.size()) == 0) return std::nullopt;
  const auto [x, y] = std::mismatch(before.bytes.begin(), before.bytes.end(), after.bytes.begin());
  if (x == before.bytes.end()) return std::nullopt;
  return static_cast<std::size_t>(x - before.bytes.begin());
}

// Where a byte of an allocation stands, in elements of its matrix.
std::int64_t element_at(const Guarded& g, std::size_t byte) {
  const auto distance = static_cast<std::int64_t>(byte) - static_cast<std::int64_t>(g.first);
  const std::int64_t size = size_of(g.type);
  return distance >= 0 ? distance / size : -((-distance + size - 1) / size);
}

// The first byte outside of C's elements at which they differ: before the first line, between lines, after the last.
std::optional<std::size_t> first_change_outside(const Problem& p, const Guarded& before, const Guarded& after) {
  const auto size = static_cast<std::size_t>(size_of(p.out));
  const Stored c = p.c();
  std::vector<std::size_t> lines;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t line = 0; line < c.major && c.minor > 0; ++line)
      lines.push_back(before.first + static_cast<std::size_t>(b * p.stride_c + line * c.ld) * size);
  }
  std::ranges::sort(lines);  // the products of a batch may be interleaved
  lines.push_back(before.bytes.size());
  std::size_t seen = 0;  // all bytes up to here have been looked at, or are elements
  for (const std::size_t line : lines) {
    const std::byte *x = before.bytes.data(), *y = after.bytes.data();
    if (const auto at = std::mismatch(x + seen, x + line, y + seen).first; at != x + line)
      return static_cast<std::size_t>(at - x);
    seen = line + static_cast<std::size_t>(c.minor) * size;
  }
  return std::nullopt;
}

std::optional<std::string> written_outside(const Case& test, const Data& before, const Data& after) {
  const std::pair<const char*, Guarded Data::*> inputs[] = {{"A", &Data::A},
                                                            {"B", &Data::B},
                                                            {"bias", &Data::bias},
                                                            {"scale_a", &Data::scale_a},
                                                            {"scale_b", &Data::scale_b},
                                                            {"ends", &Data::ends}};
  for (const auto& [name, input] : inputs) {
    if (const auto byte = first_change(before.*input, after.*input))
      return fmt::format("{} was written at element {}; inputs are only read", name,
                         element_at(before.*input, *byte));
  }
  if (const auto byte = test.problem.before == Before::stored
                            ? first_change_outside(test.problem, before.before, after.before)
                            : first_change(before.before, after.before)) {
    return fmt::format("memory outside of the matrix for values before the activation was written at element {}",
                       element_at(before.before, *byte));
  }
  if (const auto byte = first_change_outside(test.problem, before.C, after.C)) {
    return fmt::format("memory outside of C was written at element {} from its start (ldc {}, stride_c {})",
                       element_at(before.C, *byte), test.problem.ldc, test.problem.stride_c);
  }
  return std::nullopt;
}

// The judgement of the elements, in row-major terms: `call` is normalized and points into the data before the run,
// `found` to where the contender left its C or, `stage` says which, the values before the activation.
enum class Stage : std::uint8_t { before, after };
template <class Out> class Elements {
 public:
  Elements(const Case& test, const Call& call, const std::byte* found, Oracle& oracle, Stage stage)
      : test_(test),
        call_(call),
        found_(found),
        oracle_(oracle),
        bounds_(call.problem, largest_factor(call)),
        activation_(stage == Stage::after ? call.problem.activation : Activation::none),
        name_(stage == Stage::after ? "C" : "before") {}

  Verdict judge() {
    const Problem& p = call_.problem;
    if (oracle_.hi.empty()) oracle_ = oracle_of(test_, call_);
    Verdict verdict;
    std::size_t at = 0;
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j, ++at) {
          Out found;
          std::memcpy(&found, found_ + (b * p.stride_c + i * p.ldc + j) * static_cast<std::int64_t>(sizeof(Out)),
                      sizeof(Out));
          if (auto wrong = wrong_element(found, at, verdict); !wrong.empty()) {
            // Rows and columns as the caller counts them.
            const bool row = test_.problem.order == Order::row;
            return failed(fmt::format("{}[{}, {}]{}: {}", name_, row ? i : j, row ? j : i,
                                      p.batch > 1 ? fmt::format(" of product {}", b) : "", wrong));
          }
        }
      }
    }
    return verdict;
  }

 private:
  std::string wrong_element(Out found, std::size_t at, Verdict& verdict) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &found, sizeof(Out));
    if ((test_.beta == 0 || name_[0] != 'C') && bits == poison_bits(type_of<Out>)) return "was never written";
    return test_.mode == Mode::exact ? wrong_bits(found, at) : wrong_value(found, at, verdict);
  }

  // Bit for bit, except that a zero may have either sign and a NaN any payload: neither is promised.
  std::string wrong_bits(Out found, std::size_t at) const {
    const Out wanted = cpu::round_once<Out>({cpu::activated(activation_, oracle_.hi[at]), oracle_.lo[at]});
    const auto f = static_cast<double>(found), w = static_cast<double>(wanted);
    if (std::isnan(w) ? std::isnan(f) : f == w) return "";
    return fmt::format("found {}, must be {} (k = {})", f, w, call_.problem.k);
  }

  std::string wrong_value(Out found, std::size_t at, Verdict& verdict) const {
    const auto f = static_cast<double>(found);
    cpu::DoubleDouble exact{oracle_.hi[at], oracle_.lo[at]};
    const double excess = oracle_.excess.empty() || test_.scales_factors ? 0 : oracle_.excess[at];
    Bound allowed = bounds_.at(oracle_.magnitude[at], exact.hi, excess);
    if (activation_ != Activation::none) {
      const double before = exact.hi + exact.lo;
      exact = {cpu::activated(activation_, before), 0};
      allowed = bounds_.activated(oracle_.magnitude[at], before, exact.hi, excess);
      const double further = test_.activation_error * std::abs(before);
      allowed.expected += further, allowed.rigorous += further;
    }
    const double own = oracle_.unit * oracle_.magnitude[at];
    allowed.expected -= own, allowed.rigorous -= own;
    const bool good = close_enough(f, exact, allowed.expected, type_of<Out>, verdict.ratio) &&
                      close_enough(f, exact, allowed.rigorous, type_of<Out>, verdict.rigorous);
    if (good) return "";
    return fmt::format("found {}, exact {}: error {:.3g}, expected bound {:.3g}, rigorous {:.3g} (k = {})", f,
                       exact.hi, std::abs(f - exact.hi), allowed.expected, allowed.rigorous, call_.problem.k);
  }

  const Case& test_;
  const Call& call_;
  const std::byte* found_;
  Oracle& oracle_;
  Bounds bounds_;
  Activation activation_;
  const char* name_;
};

}  // namespace

Verdict worse(const Verdict& a, const Verdict& b) {
  return {Outcome::passed, "", std::max(a.ratio, b.ratio), std::max(a.rigorous, b.rigorous)};
}

bool close_enough(double found, cpu::DoubleDouble exact, double bound, Type out, double& ratio) {
  if (std::isnan(exact.hi) || std::isnan(found)) return std::isnan(exact.hi) && std::isnan(found);
  const Limits l = limits(out);
  if (l.saturates && std::abs(exact.hi) > l.largest) {
    exact = {std::copysign(l.largest, exact.hi), 0};
  } else if (std::isinf(found)) {
    // Half a step past the largest value rounds to infinity, and an error within the bound may reach it.
    const double past = l.largest * (1 + l.unit / 2);
    const double reach = std::isinf(exact.hi) ? exact.hi : exact.hi + std::copysign(bound, exact.hi);
    return found > 0 ? reach >= past : reach <= -past;
  } else if (std::isinf(exact.hi)) {
    return false;
  }
  const double error = std::abs((found - exact.hi) - exact.lo);
  if (error == 0) return true;
  ratio = std::max(ratio, error / bound);
  return error <= bound;
}

Verdict judge_elements(const Case& test, const Call& row, const Found& found, Oracle& oracle) {
  return with_type(row.problem.out, [&]<class Out>() {
    Verdict verdict = Elements<Out>(test, row, found.C, oracle, Stage::after).judge();
    if (row.problem.before == Before::none || verdict.outcome == Outcome::failed) return verdict;
    Verdict values = Elements<Out>(test, row, found.before, oracle, Stage::before).judge();
    if (values.outcome == Outcome::failed) return values;
    return worse(verdict, values);
  });
}

namespace {

// Each group as a product of its own.
Verdict judge_groups(const Case& test, const Call& row, const Found& found) {
  Verdict all;
  const std::int64_t line = row.problem.ldc * size_of(row.problem.out);
  cpu::each_group(row, [&](const Call& one, std::int64_t first) {
    if (all.outcome == Outcome::failed) return;
    const Found here{found.C + first * line, found.before == nullptr ? nullptr : found.before + first * line};
    Oracle oracle;
    Verdict verdict = is_large(one.problem) ? judge_large(test, one, here) : judge_elements(test, one, here, oracle);
    if (verdict.outcome != Outcome::failed) {
      all = worse(all, verdict);
      return;
    }
    all = failed(fmt::format("in the group of rows {} to {}, counted as if alone: {}", first,
                             first + one.problem.m - 1, verdict.what));
  });
  return all;
}

// Of groups the rows that are in one.
Problem written(const Problem& p, const Data& data) {
  Problem rows = p;
  if (p.is_grouped()) rows.m = std::clamp<std::int64_t>(data.group_ends()[p.groups - 1], 0, p.m);
  return rows;
}

}  // namespace

Verdict judge(const Case& test, const Data& before, const Data& after, Oracle& oracle) {
  Case inside = test;
  inside.problem = written(test.problem, before);
  if (auto what = written_outside(inside, before, after)) return failed(*what);
  Call call{test.problem, test.alpha, before.A.matrix(), before.B.matrix(), test.beta, nullptr};
  // The oracle only reads C; the pointer's type is that of a call that would write it.
  call.C = const_cast<std::byte*>(before.C.matrix());
  call.bias = before.bias.matrix();
  call.scale_a = before.scale_a.matrix(), call.scale_b = before.scale_b.matrix();
  call.ends = before.group_ends();
  if (test.problem.m == 0 || test.problem.n == 0 || test.problem.batch == 0) return {};
  const Call row = dispatch::to_row(call);
  const Found found{after.C.matrix(), after.before.matrix()};
  if (row.problem.is_grouped()) return judge_groups(test, row, found);
  return is_large(row.problem) ? judge_large(test, row, found) : judge_elements(test, row, found, oracle);
}

}  // namespace cairn::lab::verify
