// The bench's promises, held to with contenders that cheat in ways a clock alone would not notice.
#include "lab/measure/bench.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/measure/inputs.hpp"

namespace cairn::lab::measure {
namespace {

enum class Cheat { none, wrong, idle_when_timed, refuses };

// f32 nn, packed: enough for a clock.
class Runner final : public Contender {
 public:
  Runner(std::string id, Cheat cheat, std::string& log) : id_(std::move(id)), cheat_(cheat), log_(log) {
    EXPECT_TRUE(runtime::open(-1, machine_).ok());
  }
  std::string_view id() const override { return id_; }
  std::string_view title() const override { return ""; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }
  std::string refuses(const Problem&) const override { return cheat_ == Cheat::refuses ? "no" : ""; }
  Status prepare(const Problem&) override {
    ++prepared_;
    return {};
  }
  Status run(const Call& call, runtime::Stream) override {
    log_ += id_;
    // The first prepare() is verification's, the second the bench's.
    if (cheat_ == Cheat::idle_when_timed && prepared_ > 1) return {};
    const Problem& p = call.problem;
    const auto *A = static_cast<const float*>(call.A), *B = static_cast<const float*>(call.B);
    auto* C = static_cast<float*>(call.C);
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l) sum += A[i * p.lda + l] * B[l * p.ldb + j];
        C[i * p.ldc + j] = cheat_ == Cheat::wrong && i == p.m - 1 && j == p.n - 1 ? sum + 1 : sum;
      }
    }
    return {};
  }

 private:
  std::string id_;
  Cheat cheat_;
  std::string& log_;
  int prepared_ = 0;
  std::shared_ptr<runtime::Machine> machine_;
};

const Problem kProblem = Problem::packed(Type::f32, Op::none, Op::none, 9, 7, 5);

// Ends after exactly `rounds`.
Settings rounds(std::size_t count) {
  Settings settings;
  settings.stop = {.at_least = count, .relative_error = 0, .seconds = 100, .even_if_slow = 1, .at_most = count};
  return settings;
}

TEST(Bench, RoundsAreInterleaved) {
  std::string log;
  Runner a("a", Cheat::none, log), b("b", Cheat::none, log), c("c", Cheat::none, log);
  const auto timings = bench({&a, &b, &c}, kProblem, rounds(4));
  ASSERT_EQ(timings.size(), 3u);
  for (const Timing& timing : timings) {
    EXPECT_TRUE(timing.timed());
    EXPECT_EQ(timing.samples_ms.size(), 4u);
  }
  EXPECT_TRUE(log.ends_with("abcabcabcabc")) << log;
}

TEST(Bench, WhatIsWrongIsNotTimed) {
  std::string log;
  Runner good("g", Cheat::none, log), wrong("w", Cheat::wrong, log);
  const auto timings = bench({&wrong, &good}, kProblem, rounds(3));
  EXPECT_FALSE(timings[0].failure.empty());
  EXPECT_TRUE(timings[0].samples_ms.empty());
  EXPECT_TRUE(timings[1].timed());
  EXPECT_TRUE(log.ends_with("ggg")) << log;
}

TEST(Bench, WhatWroteNothingWhileTimedIsFound) {
  std::string log;
  Runner idle("i", Cheat::idle_when_timed, log);
  const auto timings = bench({&idle}, kProblem, rounds(3));
  EXPECT_NE(timings[0].failure.find("not written"), std::string::npos) << timings[0].failure;
  EXPECT_FALSE(timings[0].timed());
}

TEST(Bench, ARefusalIsSaidAndHarmsNobody) {
  std::string log;
  Runner refuser("r", Cheat::refuses, log), good("g", Cheat::none, log);
  const auto timings = bench({&refuser, &good}, kProblem, rounds(2));
  EXPECT_EQ(timings[0].refused, "no");
  EXPECT_TRUE(timings[1].timed());
  EXPECT_EQ(log.find('r'), std::string::npos);
}

TEST(Bench, StoppingKeepsWhatWasMeasured) {
  std::string log;
  Runner a("a", Cheat::none, log);
  Settings settings = rounds(1000);
  settings.progress = [](const std::string& what, std::int64_t done, std::int64_t) {
    return !what.starts_with("timing") || done < 5;
  };
  const auto timings = bench({&a}, kProblem, settings);
  EXPECT_EQ(timings[0].samples_ms.size(), 5u);
  EXPECT_TRUE(timings[0].timed());
}

TEST(Bench, TimeUpEndsAnUnsettledContender) {
  std::string log;
  Runner a("a", Cheat::none, log);
  Settings settings;
  settings.stop = {.at_least = 1'000'000, .relative_error = 0.005, .seconds = 1e-9, .even_if_slow = 3};
  const auto timings = bench({&a}, kProblem, settings);
  EXPECT_EQ(timings[0].samples_ms.size(), 3u);
  EXPECT_FALSE(timings[0].settled);
}

TEST(Inputs, AreSpreadOverTheIntervalAndDifferBySeed) {
  const auto bytes = uniform(Type::f64, 10'000, 1);
  const auto* x = reinterpret_cast<const double*>(bytes.data());
  const auto [low, high] = std::minmax_element(x, x + 10'000);
  EXPECT_GE(*low, -1);
  EXPECT_LT(*low, -0.99);
  EXPECT_LE(*high, 1);
  EXPECT_GT(*high, 0.99);
  EXPECT_NE(bytes, uniform(Type::f64, 10'000, 2));
  EXPECT_EQ(bytes, uniform(Type::f64, 10'000, 1));
}

TEST(Inputs, PoisonIsSeenInEveryType) {
  const std::vector<std::byte> poison(16, std::byte{0xff});
  for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::e4m3}) {
    EXPECT_EQ(first_nan(type, poison.data(), 2), 0) << name(type);
    EXPECT_EQ(first_nan(type, uniform(type, 100, 1).data(), 100), -1) << name(type);
  }
}

TEST(Flops, CountTheBatch) {
  EXPECT_EQ(flops(kProblem), 2.0 * 9 * 7 * 5);
  EXPECT_EQ(flops(Problem::packed(Type::f32, Op::none, Op::none, 2, 3, 4, Order::row, 5)), 240);
}

}  // namespace
}  // namespace cairn::lab::measure
