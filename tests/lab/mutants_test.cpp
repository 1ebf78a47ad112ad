// Mutants of a correct kernel: the kernel itself passes every case, and with one bug put in it must be caught by
// fuzzing alone. Bugs 5, 6 and 7 were found in public collections of kernels.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/verify/effort.hpp"
#include "lab/verify/verify.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/groups.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::verify {
namespace {

enum class Bug {
  none,
  swapped_grid,       // 5: rows and columns of the grid exchanged; right for square C only
  ldb_is_n,           // 6: ldb = n for a transposed B; right for packed square B only
  nan_result,         // 7: one element comes out NaN; a comparison written the wrong way round lets it pass
  a_for_b,            // 7: B is read from A's memory; data from one seed would hide it
  lost_product,       // the last product of every sum is left out
  reads_c,            // beta * C is added even if beta = 0
  reads_inputs,       // alpha * 0 products are added even if alpha = 0
  writes_padding,     // a full tile is stored past the end of a row
  writes_input,       // A is rounded in place
  skips_last_row,     // the edge block returns early
  ignores_lda,        // lda taken as the minimum
  batch_stride_of_a,  // stride_b taken to be stride_a
  unsteady,           // the second run gives another result
  sloppy,             // sums kept in 12 bits
  bias_other_side,    // the bias of rows is added to columns
  bias_scaled,        // alpha is applied to the bias too
  bias_shared,        // every product of a batch gets the first one's bias
  activation_first,   // the bias is added after the activation
  residual_last,      // and beta * C
  group_spills,       // the last tile of a group is stored whole, into the next one
  group_shares_b,     // every group gets the first one's B
  scales_c,           // beta * C is scaled too
  scales_exchanged,   // a row's scale is the column's, and the reverse
  scales_shared,      // every product of a batch gets the first one's scales
  before_too_late,    // what is stored as the value before the activation is C
  tired,              // sums kept in 21 bits: within every bound, but ten times the healthy ratio of cpu/reference
};

// Textbook f32 product on the CPU, one bug at a time.
class Kernel final : public Contender {
 public:
  explicit Kernel(Bug bug) : bug_(bug) { EXPECT_TRUE(runtime::open(-1, machine_).ok()); }

  std::string_view id() const override { return bug_ == Bug::tired ? "cpu/reference" : "test/kernel"; }
  std::string_view title() const override { return "a kernel with one bug"; }
  std::string refuses(const Problem& p) const override {
    return p.in == Type::f32 && p.out == Type::f32 ? "" : "f32 only";
  }
  Status prepare(const Problem&) override {
    runs_ = 0;
    return {};
  }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

  Status run(const Call& call, runtime::Stream) override {
    const Call c = dispatch::to_row(call);
    for (std::int64_t b = 0; b < c.problem.batch && !c.problem.is_grouped(); ++b) product(c, b);
    if (c.problem.is_grouped()) groups(c);
    ++runs_;
    return {};
  }

 private:
  void groups(const Call& c) {
    std::vector<Call> all;
    cpu::each_group(c, [&](const Call& one, std::int64_t first) {
      all.push_back(one);
      if (bug_ == Bug::group_spills)
        all.back().problem.m = std::min((one.problem.m + 31) / 32 * 32, c.problem.m - first);
      if (bug_ == Bug::group_shares_b) all.back().B = c.B;
    });
    std::ranges::reverse(all);  // what spills stays
    for (const Call& one : all) product(one, 0);
  }

  void product(const Call& c, std::int64_t batch) {
    const Problem& p = c.problem;
    const bool has_inputs = c.A != nullptr && c.B != nullptr;
    const bool reads = has_inputs && p.k > 0 && (c.alpha != 0 || bug_ == Bug::reads_inputs);
    // A wrong address is only used where it still lies inside the right memory: the point is to be caught by the
    // result, not by a crash.
    const bool b_fits_in_a = p.b().span() <= p.a().span() && p.stride_b <= p.stride_a;
    const bool a_for_b = bug_ == Bug::a_for_b && b_fits_in_a;
    const bool stride_of_a = bug_ == Bug::batch_stride_of_a && p.stride_a <= p.stride_b;
    const bool ldb_is_n = bug_ == Bug::ldb_is_n && p.op_b == Op::transpose && p.n <= p.ldb;
    const auto* A = has_inputs ? static_cast<const float*>(c.A) + batch * p.stride_a : nullptr;
    const auto* B =
        has_inputs ? static_cast<const float*>(a_for_b ? c.A : c.B) + batch * (stride_of_a ? p.stride_a : p.stride_b)
                   : nullptr;
    auto* C = static_cast<float*>(c.C) + batch * p.stride_c;
    const std::int64_t lda = bug_ == Bug::ignores_lda ? p.a().min_ld() : p.lda;
    const std::int64_t ldb = ldb_is_n ? p.n : p.ldb;
    const std::int64_t k = bug_ == Bug::lost_product ? p.k - 1 : p.k;
    std::int64_t rows = p.m, columns = p.n;
    if (bug_ == Bug::swapped_grid) {  // blocks of 32 x 32: enough for n rows and m columns
      rows = std::min(p.m, (p.n + 31) / 32 * 32);
      columns = std::min(p.n, (p.m + 31) / 32 * 32);
    }
    if (bug_ == Bug::skips_last_row && p.m % 32 != 0) --rows;

    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; reads && l < k; ++l) {
          const float a = A[p.op_a == Op::none ? i * lda + l : l * lda + i];
          const float b = B[p.op_b == Op::none ? l * ldb + j : j * ldb + l];
          sum = keep(sum + a * b);
        }
        float& out = C[i * p.ldc + j];
        const float scale = reads ? scale_of(c, batch, i, j) : 1;
        const float scaled = reads ? static_cast<float>(c.alpha) * sum * scale : 0, bias = bias_of(c, batch, i, j);
        float rest = c.beta != 0 || bug_ == Bug::reads_c ? static_cast<float>(c.beta) * out : 0;
        if (bug_ == Bug::scales_c) rest *= scale;
        const bool residual_last = bug_ == Bug::residual_last, bias_last = bug_ == Bug::activation_first;
        const float before = scaled + (residual_last ? 0 : rest) + (bias_last ? 0 : bias);
        float value = static_cast<float>(cpu::activated(p.activation, static_cast<double>(before)));
        if (residual_last) value += rest;
        if (bias_last) value += bias;
        if (p.before == Before::stored)
          static_cast<float*>(c.before)[batch * p.stride_c + i * p.ldc + j] =
              bug_ == Bug::before_too_late ? value : before;
        if (bug_ == Bug::unsteady && runs_ == 1 && i == 0 && j == 0) value = std::nextafter(value, 1e9f);
        if (bug_ == Bug::nan_result && i == p.m / 2 && j == p.n / 2) value = std::numeric_limits<float>::quiet_NaN();
        out = value;
      }
      if (bug_ == Bug::writes_padding && p.n > 0 && p.ldc > p.n) C[i * p.ldc + p.n] = 0;
    }
    if (bug_ == Bug::writes_input && reads && p.k > 0 && rows > 0) {
      float& first = const_cast<float&>(A[0]);
      first = static_cast<float>(static_cast<int>(first * 2)) / 4;
    }
  }

  float scale_of(const Call& c, std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const Problem& p = c.problem;
    if (bug_ == Bug::scales_shared) batch = 0;
    if (bug_ == Bug::scales_exchanged && std::max(i, j) < std::min(p.m, p.n)) std::swap(i, j);
    return static_cast<float>(cpu::scale_a_at(c, batch, i) * cpu::scale_b_at(c, batch, j));
  }

  float bias_of(const Call& c, std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const Problem& p = c.problem;
    if (p.bias == Bias::none) return 0;
    std::int64_t at = p.bias == Bias::rows ? i : j;
    // Only where the other side is as long: the point is to be caught by the result, not by a crash.
    if (bug_ == Bug::bias_other_side && std::max(i, j) < p.bias_elements()) at = i + j - at;
    const auto* bias = static_cast<const float*>(c.bias) + (bug_ == Bug::bias_shared ? 0 : batch * p.stride_bias);
    return bug_ == Bug::bias_scaled ? static_cast<float>(c.alpha) * bias[at] : bias[at];
  }

  float keep(float sum) const {
    if (bug_ != Bug::sloppy && bug_ != Bug::tired) return sum;
    const float big = sum * (bug_ == Bug::sloppy ? 4097 : 9);  // leaves the upper 12 or 21 bits (Dekker's splitting)
    return big - (big - sum);
  }

  Bug bug_;
  int runs_ = 0;
  std::shared_ptr<runtime::Machine> machine_;
};

Space f32_space() {
  Space space;
  for (const Op a : {Op::none, Op::transpose}) {
    for (const Op b : {Op::none, Op::transpose}) {
      for (const Order order : {Order::row, Order::column}) {
        space.like.push_back(Problem::packed(Type::f32, a, b, 1, 1, 1, order));
      }
    }
  }
  space.max_size = 70;
  return space;
}

Tally fuzz_with(Bug bug, std::int64_t cases = 400) {
  Kernel kernel(bug);
  return fuzz(kernel, f32_space(), cases, 11);
}

TEST(Fuzz, DrawsFewerCasesOfLargeShapes) {
  const auto cases = [](std::int64_t size, bool fixed = true) {
    Space space;
    space.like = {Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1),
                  Problem::packed(Type::f32, Op::none, Op::none, size, size, size)};
    space.fixed_shape = fixed;
    return enough_cases(space);
  };
  EXPECT_EQ(enough_cases({}), 1000);
  // Under the detectors about a minute, however many contenders there are.
  for (const std::size_t contenders : {2, 46, 80}) {
    const double seconds = seconds_to_check({}, contenders, enough_checked_cases({}, contenders));
    EXPECT_TRUE(seconds > 50 && seconds <= 60) << contenders << ": " << seconds;
  }
  EXPECT_EQ(enough_checked_cases({}, 1), 1000);
  EXPECT_EQ(cases(64), 1000);
  EXPECT_EQ(cases(512), 59);
  EXPECT_EQ(cases(8192), 4);
  EXPECT_EQ(cases(8192, false), 1000);  // sizes are drawn, and small
}

TEST(Mutants, TheHonestKernelPassesEveryCase) {
  const Tally t = fuzz_with(Bug::none, 2000);
  EXPECT_EQ(t.passed, 2000) << (t.failures.empty() ? "" : t.failures[0].test.describe() + ": " + t.failures[0].what);
  EXPECT_GT(t.worst_ratio, 0);
  EXPECT_LT(t.worst_ratio, 1);
  for (const auto count : {t.edges, t.padded, t.offset, t.nan_in_c, t.k_zero, t.batched, t.aliased, t.special}) {
    EXPECT_GT(count, 0);
  }
}

struct Named {
  const char* name;
  Bug bug;
  const char* says;  // part of the report
};

class Mutant : public ::testing::TestWithParam<Named> {};

TEST_P(Mutant, IsCaught) {
  const Tally t = fuzz_with(GetParam().bug);
  ASSERT_GT(t.failed, 0) << "not caught in " << t.cases << " cases";
  bool said = false;
  for (const Failure& f : t.failures) said = said || f.what.find(GetParam().says) != std::string::npos;
  EXPECT_TRUE(said) << t.failures[0].what;
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, Mutant,
    ::testing::Values(
        Named{"bug5_swapped_grid", Bug::swapped_grid, "never written"}, Named{"bug6_ldb_is_n", Bug::ldb_is_n, "C["},
        Named{"bias_other_side", Bug::bias_other_side, "C["}, Named{"bias_scaled", Bug::bias_scaled, "C["},
        Named{"bias_shared", Bug::bias_shared, "C["}, Named{"activation_first", Bug::activation_first, "C["},
        Named{"group_spills", Bug::group_spills, "in the group of rows"},
        Named{"group_shares_b", Bug::group_shares_b, "in the group of rows"}, Named{"scales_c", Bug::scales_c, "C["},
        Named{"scales_exchanged", Bug::scales_exchanged, "C["}, Named{"scales_shared", Bug::scales_shared, "C["},
        Named{"residual_last", Bug::residual_last, "C["}, Named{"before_too_late", Bug::before_too_late, "before["},
        Named{"bug7_nan_result", Bug::nan_result, "found nan"}, Named{"bug7_a_for_b", Bug::a_for_b, "C["},
        Named{"lost_product", Bug::lost_product, "must be"}, Named{"reads_c", Bug::reads_c, "found nan"},
        Named{"reads_inputs", Bug::reads_inputs, "found nan"},
        Named{"writes_padding", Bug::writes_padding, "outside of C"},
        Named{"writes_input", Bug::writes_input, "A was written"},
        Named{"skips_last_row", Bug::skips_last_row, "never written"},
        Named{"ignores_lda", Bug::ignores_lda, "found nan"},
        Named{"batch_stride_of_a", Bug::batch_stride_of_a, "of product"},
        Named{"unsteady", Bug::unsteady, "second time"}, Named{"sloppy", Bug::sloppy, "bound"},
        Named{"tired", Bug::tired, "ten times the healthy ratio"}),
    [](const auto& test) { return std::string(test.param.name); });

// Bug 7, from the other side: with B the same memory as A, as data from one seed would make it, the kernel that
// confuses them looks right. Only different data tell.
TEST(Mutants, DataFromOneSeedWouldHideTheConfusionOfAAndB) {
  Case c;
  c.problem = Problem::packed(Type::f32, Op::none, Op::none, 16, 16, 16);
  Kernel confused(Bug::a_for_b);
  c.alias = true;
  EXPECT_EQ(check(confused, c).outcome, Outcome::passed);
  c.alias = false;
  EXPECT_EQ(check(confused, c).outcome, Outcome::failed);
}

// Bug 7 again: the usual comparison, written as the failure one looks for. NaN is never greater than anything.
TEST(Mutants, TheUsualComparisonLetsNanPassAndOursDoesNot) {
  const auto usual = [](double found, double exact, double bound) { return !(std::abs(found - exact) > bound); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double ratio = 0;
  EXPECT_TRUE(usual(nan, 1, 0.5));
  EXPECT_FALSE(close_enough(nan, {1, 0}, 0.5, Type::f32, ratio));
  EXPECT_FALSE(usual(2, 1, 0.5));
  EXPECT_FALSE(close_enough(2, {1, 0}, 0.5, Type::f32, ratio));
}

// Bug 7, last form: a check inside assert() is gone from an optimized build. There is none in verification.
TEST(Mutants, NoCheckOfVerificationStandsInAnAssert) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAIRN_SOURCE_DIR "/lab/verify")) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(text.find("assert("), std::string::npos) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 8);
}

TEST(Verify, ARefusedProblemCountsAsNeitherGoodNorBad) {
  Kernel kernel(Bug::none);
  Case c;
  c.problem = Problem::packed(Type::f64, Op::none, Op::none, 2, 2, 2);
  const Verdict v = check(kernel, c);
  EXPECT_EQ(v.outcome, Outcome::refused);
  EXPECT_EQ(v.what, "f32 only");
  Tally t;
  t.add(c, v);
  EXPECT_EQ(t.refused, 1);
  EXPECT_EQ(t.passed + t.failed + t.exact, 0);
}

// One trial judges several contenders with the same data and the same oracle, in any order.
TEST(Verify, ATrialJudgesEveryContenderAsIfAlone) {
  for (const Mode mode : {Mode::exact, Mode::rounding}) {
    Case c;
    c.problem = Problem::packed(Type::f32, Op::none, Op::transpose, 17, 33, 40);
    c.mode = mode, c.beta = 1;
    Kernel right(Bug::none), short_sum(Bug::lost_product), nan(Bug::nan_result), input(Bug::writes_input);
    Trial trial(right.machine(), c, Work::product);
    for (Kernel* wrong : {&short_sum, &nan, &input}) {
      EXPECT_EQ(trial.of(right).outcome, Outcome::passed);
      const Verdict v = trial.of(*wrong), alone = check(*wrong, c);
      EXPECT_EQ(v.outcome, Outcome::failed);
      EXPECT_EQ(v.what, alone.what);
    }
    const Verdict v = trial.of(right), alone = check(right, c);
    EXPECT_EQ(v.outcome, Outcome::passed) << v.what;
    EXPECT_EQ(v.ratio, alone.ratio);
    EXPECT_EQ(v.rigorous, alone.rigorous);
  }
}

TEST(Verify, TheReplayedCaseIsTheFailingOne) {
  const Tally t = fuzz_with(Bug::lost_product);
  ASSERT_FALSE(t.failures.empty());
  const Case& first = t.failures[0].test;
  EXPECT_EQ(draw(first.seed, f32_space()).describe(), first.describe());
  Space space = f32_space();
  space.flags = "--type f32";
  EXPECT_EQ(
      replay_command("test/kernel", first, "cpu", space.flags),
      "cairn verify test/kernel --device cpu --type f32 --replay " + [&] {
        char text[32];
        std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(first.seed));
        return std::string(text);
      }());
}

// The lines of a suite are spaces of one shape each; a failure names the flags of its own.
TEST(Verify, AFailureInASuiteIsReplayedFromItsLine) {
  std::vector<Space> spaces(3, f32_space());
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const auto size = static_cast<std::int64_t>(20 + i);
    spaces[i].like = {Problem::packed(Type::f32, Op::none, Op::none, size, size, size)};
    spaces[i].fixed_shape = true, spaces[i].batch = 2, spaces[i].alpha = 1;
    spaces[i].flags = "--shape " + std::to_string(size);
  }
  Kernel kernel(Bug::nan_result);
  const Tally t = fuzz_each(kernel, spaces, 2, 9);
  EXPECT_EQ(t.cases, 6);
  std::set<std::string> lines;
  for (const Failure& failure : t.failures) {
    const auto line = std::ranges::find(spaces, failure.flags, &Space::flags);
    ASSERT_NE(line, spaces.end()) << failure.flags;
    EXPECT_EQ(draw(failure.test.seed, *line).describe(), failure.test.describe());
    lines.insert(failure.flags);
  }
  EXPECT_EQ(lines.size(), spaces.size());
}

}  // namespace
}  // namespace cairn::lab::verify
