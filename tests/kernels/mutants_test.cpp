// Kernels with a bug put in on purpose, on the emulator, before the cases that every rung has to pass. This program
// holds an emulated ladder of its own (mutants.cu), which takes the place of the real one.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "lab/contender_rung.hpp"
#include "lab/verify/verify.hpp"
#include "src/dispatch/candidate.hpp"
#include "tests/kernels/cases.hpp"

namespace cairn::lab::verify {
namespace {

class Mutants : public testing::Test {
 protected:
  void SetUp() override {
    const Status s = runtime::open(-2, machine_);
    ASSERT_TRUE(s.ok()) << s.message();
  }

  const Rung& rung(std::string_view id) {
    for (const Rung* rung : dispatch::ladder_of(runtime::Kind::emu))
      if (rung->id == id) return *rung;
    throw std::runtime_error("the ladder of this program has no " + std::string(id));
  }

  // Runs all cases with every tile; the failures, the first of which is kept in what_.
  int failures(std::string_view id) {
    Problem like;
    int failed = 0;
    for (int tile = 0; tile < rung(id).tiles; ++tile) {
      RungContender contender(machine_, rung(id), tile);
      for (const Case& test : edge_cases(like)) {
        const Verdict verdict = check(contender, test);
        if (verdict.outcome != Outcome::failed) continue;
        if (failed++ == 0) what_ = test.describe() + ": " + verdict.what;
      }
    }
    return failed;
  }

  // One case, square or not, of 40 x n.
  Verdict one(std::string_view id, std::int64_t m, std::int64_t n) {
    Problem p;
    p.m = m, p.n = n, p.k = 40;
    RungContender contender(machine_, rung(id), 0);
    return check(contender, make_case(1, p, {1, 0}, Mode::exact, 0));
  }

  std::shared_ptr<runtime::Machine> machine_;
  std::string what_;
};

TEST_F(Mutants, HonestTwinsPass) {
  EXPECT_EQ(failures("honest/coalesced"), 0) << what_;
  EXPECT_EQ(failures("honest/block_tile"), 0) << what_;
}

// Bug 5: right for square C, and so for a test of squares alone.
TEST_F(Mutants, ASwappedGridIsCaught) {
  for (const char* id : {"mutant/swapped_grid", "mutant/swapped_grid_tiled"}) {
    EXPECT_GT(failures(id), 0) << id;
    EXPECT_EQ(one(id, 70, 70).outcome, Outcome::passed) << "a square does not show it: " << one(id, 70, 70).what;
    EXPECT_EQ(one(id, 70, 30).outcome, Outcome::failed);
  }
}

// Bug 9: hardware often lets it pass, because threads that have returned are not waited for. Here it is a report
// that says who waits where.
TEST_F(Mutants, AReturnBeforeABarrierIsReported) {
  EXPECT_GT(failures("mutant/early_return"), 0);
  EXPECT_EQ(one("mutant/early_return", 64, 64).outcome, Outcome::passed) << "whole tiles do not show it";
  const Verdict verdict = one("mutant/early_return", 40, 64);
  EXPECT_EQ(verdict.outcome, Outcome::failed);
  for (const char* word : {"__syncthreads", "mutants.cu", "returned"})
    EXPECT_NE(verdict.what.find(word), std::string::npos) << word << " is not in the report:\n" << verdict.what;
  EXPECT_EQ(one("honest/block_tile", 40, 64).outcome, Outcome::passed) << "the emulator goes on after a deadlock";
}

}  // namespace
}  // namespace cairn::lab::verify
