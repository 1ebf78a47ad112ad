// The bound of e4m3, of whose sums tensor cores keep 14 significant bits: its values, a sum that is truncated as they
// truncate it, which must pass, and sums with larger errors, which must not.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "lab/random.hpp"
#include "lab/verify/judge.hpp"

namespace cairn::lab::verify {
namespace {

bool close(double found, double exact, double allowed) {
  double ratio = 0;
  return close_enough(found, {exact, 0}, allowed, Type::f32, ratio);
}

// In units of the last bit that an instruction keeps, 2^-13: half a bit for each of 34 truncations and six standard
// deviations of that, and in the worst case 34; for four instructions, or for all of k.
TEST(Judge, E4m3HasTheBoundOfF32AndWhatTensorCoresDrop) {
  const auto plain = [](std::int64_t k) {
    return bound(Problem::packed(Type::f32, Op::none, Op::none, 1, 1, k), 1, 3.0, 2.0);
  };
  const auto narrow = [](std::int64_t k, Compute compute) {
    Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 1, 1, k);
    p.out = Type::f32, p.compute = compute;
    return bound(p, 1, 3.0, 2.0);
  };
  const auto usual = [](double instructions) { return 17 * instructions + 6 * std::sqrt(34 * instructions / 12); };
  const struct {
    std::int64_t k;
    double native, fast;  // instructions
  } chains[] = {{1, 1, 1}, {33, 2, 2}, {128, 4, 4}, {129, 4, 5}, {4096, 4, 128}};
  for (const auto& [k, native, fast] : chains) {
    EXPECT_NEAR(narrow(k, Compute::native).expected - plain(k).expected, usual(native) * 0x1p-13 * 3, 1e-14) << k;
    EXPECT_NEAR(narrow(k, Compute::native).rigorous - plain(k).rigorous, 34 * native * 0x1p-13 * 3, 1e-14) << k;
    EXPECT_NEAR(narrow(k, Compute::fast).expected - plain(k).expected, usual(fast) * 0x1p-13 * 3, 1e-14) << k;
    EXPECT_NEAR(narrow(k, Compute::fast).rigorous - plain(k).rigorous, 34 * fast * 0x1p-13 * 3, 1e-14) << k;
  }
  // No product can lose more than all of itself.
  EXPECT_NEAR(narrow(1 << 20, Compute::fast).rigorous - plain(1 << 20).rigorous, (1 + 2 * 0x1p15 * 0x1p-13) * 3,
              1e-12);
}

// A sum of e4m3 products as tensor cores compute it, with `kept` bits after the binary point; promoted to f32 after
// every `chain` products.
struct NarrowSum {
  double sum = 0, exact = 0, magnitude = 0;
};
NarrowSum narrow_sum(std::int64_t k, std::int64_t chain, int kept, bool one_sign) {
  Random random(11);
  const auto draw = [&] {
    const auto x = static_cast<double>(e4m3(static_cast<float>(random.real())));
    return one_sign ? std::abs(x) : x;
  };
  // Towards zero, to a multiple of the last bit that a number as large as `top` keeps.
  const auto cut = [kept](double x, double top) {
    if (top == 0) return x;
    const double step = std::ldexp(1.0, std::ilogb(top) - kept);
    return std::trunc(x / step) * step;
  };
  NarrowSum out;
  double inside = 0;
  for (std::int64_t first = 0; first < k; first += 32) {
    double terms[33] = {inside}, top = std::abs(inside), all = 0;
    for (int i = 1; i < 33; ++i) {
      terms[i] = draw() * draw();
      top = std::max(top, std::abs(terms[i]));
      out.exact += terms[i], out.magnitude += std::abs(terms[i]);
    }
    for (const double term : terms) all += cut(term, top);
    inside = cut(all, std::abs(all));
    if ((first + 32) % chain != 0 && first + 32 < k) continue;
    out.sum = static_cast<double>(static_cast<float>(out.sum + inside));
    inside = 0;
  }
  return out;
}

// 64 x 64 and 31 times 1.375 x 2.5: every small product is cut from 3.4375 to 3 in the very first instruction.
TEST(Judge, OneLargeProductMayBeNearlyAllOfTheMagnitude) {
  const double kept = 0x1p12 * 0x1p-13;  // the last bit that is kept
  const double small = 3.4375;           // 1.375 * 2.5: cut to 3
  const double exact = 0x1p12 + 31 * small, found = 0x1p12 + 31 * std::floor(small / kept) * kept;
  EXPECT_GT(exact - found, 8.5 * 0x1p-13 * exact);
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 1, 1, 32);
  p.out = Type::f32;
  const Bound allowed = bound(p, 1, exact, exact);
  EXPECT_TRUE(close(found, exact, allowed.expected));
  EXPECT_TRUE(close(found, exact, allowed.rigorous));
}

TEST(Judge, FastSumsPassAndCoarserOnesDoNot) {
  const auto judged = [](Compute compute, std::int64_t k, const NarrowSum& found, double off = 0) {
    Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 1, 1, k);
    p.out = Type::f32, p.compute = compute;
    const Bound allowed = bound(p, 1, found.magnitude, found.exact);
    const double sum = found.sum + off * allowed.expected;
    return close(sum, found.exact, allowed.expected) && close(sum, found.exact, allowed.rigorous);
  };
  for (const std::int64_t k : {32, 128, 1024, 1 << 13}) {
    for (const bool one_sign : {false, true}) {
      const NarrowSum fast = narrow_sum(k, k, 13, one_sign), promoted = narrow_sum(k, 128, 13, one_sign);
      EXPECT_TRUE(judged(Compute::fast, k, fast)) << k << one_sign;
      EXPECT_TRUE(judged(Compute::fast, k, promoted)) << k << one_sign;
      EXPECT_TRUE(judged(Compute::native, k, promoted)) << k << one_sign;
      for (const double off : {-2.0, 2.0}) {
        EXPECT_FALSE(judged(Compute::fast, k, {fast.exact, fast.exact, fast.magnitude}, off)) << k << one_sign;
        EXPECT_FALSE(judged(Compute::native, k, {fast.exact, fast.exact, fast.magnitude}, off)) << k << one_sign;
      }
    }
  }
  // Three bits fewer, and no promotion where Compute::fast was not asked for.
  EXPECT_FALSE(judged(Compute::fast, 1 << 10, narrow_sum(1 << 10, 1 << 10, 10, true)));
  EXPECT_FALSE(judged(Compute::native, 1 << 13, narrow_sum(1 << 13, 1 << 13, 13, true)));
}

}  // namespace
}  // namespace cairn::lab::verify
