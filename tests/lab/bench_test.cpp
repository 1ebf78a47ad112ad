// The bench's promises, held to with contenders that cheat in ways a clock alone would not notice.
#include "lab/measure/bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "lab/measure/inputs.hpp"
#include "lab/measure/order.hpp"
#include "lab/measure/outcome.hpp"
#include "lab/measure/ring.hpp"
#include "tests/support/fake_gpu.hpp"

namespace cairn::lab::measure {
namespace {

enum class Cheat { none, wrong, writes_input, idle_when_timed, refuses };

// f32 nn, packed: enough for a clock. A millisecond of a GPU that exists only in the test; `log` has a letter for
// every run that really happened.
class Runner final : public Contender {
 public:
  Runner(const std::shared_ptr<runtime::FakeGpu>& gpu, std::string id, Cheat cheat, std::string& log)
      : gpu_(gpu), machine_(gpu), id_(std::move(id)), cheat_(cheat), log_(log) {}
  std::string_view id() const override { return id_; }
  std::string_view title() const override { return ""; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }
  std::string refuses(const Problem&) const override { return cheat_ == Cheat::refuses ? "no" : ""; }
  Status prepare(const Problem&) override {
    ++prepared_;
    return {};
  }
  Status run(const Call& call, runtime::Stream) override {
    return gpu_->enqueue(1000, [this, call] { multiply(call); });
  }

 private:
  void multiply(const Call& call) {
    log_ += id_;
    // The first prepare() is verification's, the second the bench's.
    if (cheat_ == Cheat::idle_when_timed && prepared_ > 1) return;
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
    if (cheat_ == Cheat::writes_input) const_cast<float*>(B)[0] += 1;
  }

  std::shared_ptr<runtime::FakeGpu> gpu_;
  std::shared_ptr<runtime::Machine> machine_;
  std::string id_;
  Cheat cheat_;
  std::string& log_;
  int prepared_ = 0;
};

const Problem kProblem = Problem::packed(Type::f32, Op::none, Op::none, 9, 7, 5);

// Ends after exactly `rounds`; after them, everyone runs once more and is looked at.
Settings rounds(std::size_t count) {
  Settings settings;
  settings.warm_up_seconds = 0;
  settings.stop = {.at_least = count, .relative_error = 0, .seconds = 100, .even_if_slow = 1, .at_most = count};
  return settings;
}

TEST(Bench, RoundsAreInterleaved) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner a(gpu, "a", Cheat::none, log), b(gpu, "b", Cheat::none, log), c(gpu, "c", Cheat::none, log);
  const auto rows = bench({&a, &b, &c}, kProblem, rounds(4));
  ASSERT_EQ(rows.size(), 3u);
  for (const record::Row& row : rows) {
    EXPECT_TRUE(row.timed());
    EXPECT_EQ(row.samples_ms.size(), 4u);
  }
  EXPECT_TRUE(
      log.ends_with("bcacabcbaacb"
                    "abc"))
      << log << ": each round once, in another order than the last, and then all are looked at";
}

// Whatever a place or a neighbour does to a time, it does to all.
TEST(Order, GivesEachContenderEachPlaceAndEachNeighbourEquallyOften) {
  for (std::size_t count = 1; count <= 9; ++count) {
    std::map<std::pair<std::size_t, std::size_t>, int> places, neighbours;
    for (std::size_t round = 0; round < 2 * count; ++round) {
      const std::vector<std::size_t> who = order(count, round);
      ASSERT_EQ(std::set<std::size_t>(who.begin(), who.end()).size(), count) << "everyone runs";
      for (std::size_t place = 0; place < count; ++place) {
        ASSERT_LT(who[place], count);
        ++places[{who[place], place}];
        if (place > 0) ++neighbours[{who[place - 1], who[place]}];
      }
    }
    EXPECT_EQ(places.size(), count * count);
    EXPECT_EQ(neighbours.size(), count * (count - 1));
    for (const auto& [who, times] : places) EXPECT_EQ(times, 2) << count;
    for (const auto& [who, times] : neighbours) EXPECT_EQ(times, 2) << count;
  }
  EXPECT_TRUE(order(0, 5).empty());
}

// Work that goes on: each sample follows on twice as much of its own.
TEST(Bench, SustainedSamplesHaveALeadIn) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner a(gpu, "a", Cheat::none, log), b(gpu, "b", Cheat::none, log);
  Settings settings = rounds(2);
  settings.lead_in = 2;
  const auto rows = bench({&a, &b}, kProblem, settings);
  EXPECT_EQ(rows[0].samples_ms.size(), 2u);
  EXPECT_TRUE(
      log.ends_with("bbbaaabbbaaa"
                    "ab"))
      << log;
  EXPECT_EQ(sustained({}).lead_in, kLeadIn);
}

TEST(Bench, WhatIsWrongIsNotTimed) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner good(gpu, "g", Cheat::none, log), wrong(gpu, "w", Cheat::wrong, log);
  const auto rows = bench({&wrong, &good}, kProblem, rounds(3));
  EXPECT_TRUE(rows[0].failed());
  EXPECT_TRUE(rows[0].samples_ms.empty());
  EXPECT_TRUE(rows[1].timed());
  EXPECT_TRUE(
      log.ends_with("ggg"
                    "g"))
      << log;
}

// All are checked with the same matrices, and who comes after one that writes to them must not pay for it.
TEST(Bench, WhatWritesToItsInputsSpoilsThemForNobodyElse) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner before(gpu, "b", Cheat::none, log), writer(gpu, "w", Cheat::writes_input, log),
      after(gpu, "a", Cheat::none, log);
  const auto rows = bench({&before, &writer, &after}, kProblem, rounds(2));
  EXPECT_TRUE(rows[0].timed());
  EXPECT_NE(rows[1].verified.find("B was written"), std::string::npos) << rows[1].verified;
  EXPECT_TRUE(rows[1].samples_ms.empty());
  EXPECT_TRUE(rows[2].timed()) << rows[2].verified;
}

TEST(Bench, WhatWroteNothingWhileTimedIsFound) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner idle(gpu, "i", Cheat::idle_when_timed, log);
  const auto rows = bench({&idle}, kProblem, rounds(3));
  EXPECT_NE(rows[0].verified.find("not written"), std::string::npos) << rows[0].verified;
  EXPECT_FALSE(rows[0].timed());
}

// What fast sums of e4m3 may lose in the worst case would hide a C that is wrong by a tenth of its terms. The numbers
// of a bench have both signs.
TEST(Outcome, OfFastSumsIsHeldToWhatTheyLoseInPractice) {
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 4, 4, 8192);
  p.out = Type::f32, p.compute = Compute::fast;
  const Ring ring(std::make_shared<runtime::FakeGpu>(), p, 1, Cache::hot);
  const auto *A = reinterpret_cast<const e4m3*>(ring.host_a().data()),
             *B = reinterpret_cast<const e4m3*>(ring.host_b().data());
  const auto said_of_error = [&](double share) {
    auto* C = static_cast<float*>(ring.call(0).C);  // the fake's memory is the host's
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          const double term = static_cast<double>(A[i * p.lda + l]) * static_cast<double>(B[l * p.ldb + j]);
          sum += term + share * std::abs(term);
        }
        C[i * p.ldc + j] = static_cast<float>(sum);
      }
    }
    return wrong_outcome(ring, Work::product, 1);
  };
  EXPECT_EQ(said_of_error(0), "");
  EXPECT_EQ(said_of_error(0.01), "");
  EXPECT_NE(said_of_error(0.1), "");
}

TEST(Bench, ARefusalIsSaidAndHarmsNobody) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner refuser(gpu, "r", Cheat::refuses, log), good(gpu, "g", Cheat::none, log);
  const auto rows = bench({&refuser, &good}, kProblem, rounds(2));
  EXPECT_EQ(rows[0].refused, "no");
  EXPECT_TRUE(rows[1].timed());
  EXPECT_EQ(log.find('r'), std::string::npos);
}

TEST(Bench, StoppingKeepsWhatWasMeasured) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner a(gpu, "a", Cheat::none, log);
  Settings settings = rounds(1000);
  settings.progress = [](const std::string& what, double) { return !what.ends_with("round 5"); };
  const auto rows = bench({&a}, kProblem, settings);
  EXPECT_EQ(rows[0].samples_ms.size(), 5u);
  EXPECT_TRUE(rows[0].timed());
}

TEST(Bench, TimeUpEndsAnUnsettledContender) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner a(gpu, "a", Cheat::none, log);
  Settings settings;
  settings.stop = {.at_least = 1'000'000, .relative_error = 0.005, .seconds = 1e-9, .even_if_slow = 3};
  const auto rows = bench({&a}, kProblem, settings);
  EXPECT_EQ(rows[0].samples_ms.size(), 3u);
  EXPECT_FALSE(rows[0].settled);
}

// Every sample is 50 runs of a millisecond, and 100 go before it. Half a second goes before the first round: two
// rounds of two contenders. Six count however little time there is, and one more sample is looked at.
TEST(Bench, SustainedSamplesAreLongAndFollowALongWarmUp) {
  const auto gpu = std::make_shared<runtime::FakeGpu>();
  std::string log;
  Runner a(gpu, "a", Cheat::none, log), b(gpu, "b", Cheat::none, log);
  Settings settings;
  settings.cache = Cache::hot, settings.stop.seconds = 1e-9;
  settings.progress = [&](const std::string& what, double) {
    if (what.starts_with("verifying")) log.clear();  // of the last one, that of its check stays
    return true;
  };
  const auto rows = bench({&a, &b}, kProblem, sustained(settings));
  for (const record::Row& row : rows) {
    EXPECT_TRUE(row.timed());
    EXPECT_EQ(row.runs, 50);
    EXPECT_EQ(row.samples_ms, std::vector<double>(6, 1.0));
  }
  std::string expected =
      "b" + std::string(10, 'a') + std::string(10, 'b');  // how long one takes, by single runs and eight
  for (std::size_t round : {0u, 1u, 1u, 2u, 3u, 4u, 5u, 6u}) {
    for (const std::size_t who : order(2, round)) expected += std::string(150, who == 0 ? 'a' : 'b');
  }
  EXPECT_EQ(log, expected + std::string(50, 'a') + std::string(50, 'b'));
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
    // So many that several threads look, each at its own part.
    constexpr std::int64_t kMany = 3 << 20;
    std::vector<std::byte> many = uniform(type, kMany, 1);
    EXPECT_EQ(first_nan(type, many.data(), kMany), -1) << name(type);
    for (const std::int64_t at : {kMany - 1, std::int64_t{7}})
      std::copy_n(poison.begin(), size_of(type), many.begin() + at * size_of(type));
    EXPECT_EQ(first_nan(type, many.data(), kMany), 7) << name(type);
  }
}

TEST(Flops, CountTheBatch) {
  EXPECT_EQ(flops(kProblem), 2.0 * 9 * 7 * 5);
  EXPECT_EQ(flops(Problem::packed(Type::f32, Op::none, Op::none, 2, 3, 4, Order::row, 5)), 240);
}

}  // namespace
}  // namespace cairn::lab::measure
