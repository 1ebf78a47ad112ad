// The experiments' own kernels, on the emulator. This program holds an emulated ladder of its own, made of them,
// which takes the place of the real one. On a GPU the experiments verify them at the size they time.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "lab/contender_rung.hpp"
#include "lab/verify/verify.hpp"
#include "src/dispatch/candidate.hpp"
#include "tests/kernels/cases.hpp"

namespace cairn::lab::verify {
namespace {

class LabKernels : public testing::Test {
 protected:
  void SetUp() override {
    const Status s = runtime::open(-2, machine_);
    ASSERT_TRUE(s.ok()) << s.message();
  }

  void all_tiles(std::string_view id, std::int64_t m, std::int64_t n, std::int64_t k) {
    const Problem p = Problem::packed(Type::f32, Op::none, Op::none, m, n, k);
    int tiles = 0;
    for (const Rung* rung : dispatch::ladder_of(runtime::Kind::emu)) {
      if (rung->id != id) continue;
      for (int tile = 0; tile < rung->tiles; ++tile, ++tiles) {
        RungContender contender(machine_, *rung, tile);
        for (const double beta : {0.0, 2.0}) {
          const Verdict verdict = check(contender, make_case(1, p, {1, beta}, Mode::exact, 0));
          EXPECT_EQ(verdict.outcome, Outcome::passed) << id << "@" << tile << ": " << verdict.what;
        }
      }
    }
    EXPECT_GT(tiles, 0) << id;
  }

  std::shared_ptr<runtime::Machine> machine_;
};

// Not square, so that swapped sides would show, and an odd number of steps for two buffers.
TEST_F(LabKernels, Vectorize) { all_tiles("lab/vectorize", 64, 192, 384); }
TEST_F(LabKernels, DoubleBuffer) { all_tiles("lab/double_buffer", 128, 256, 48); }
TEST_F(LabKernels, TinyCode) { all_tiles("lab/tiny_code", 256, 128, 96); }

// C = silu(beta * C + bias), of rows that are aligned and of others, by whole 16 bytes and by elements at an edge.
TEST_F(LabKernels, ActivateIsAnEpilogueWithoutAProduct) {
  for (const Rung* rung : dispatch::ladder_of(runtime::Kind::emu)) {
    if (rung->id != "lab/activate") continue;
    RungContender contender(machine_, *rung, 0);
    for (const Types& types : rung->types) {
      for (const std::int64_t padding : {0, 3}) {
        Problem p = Problem::packed(types.out, Op::none, Op::none, 37, 45, 0);
        p.in = types.in;
        p.bias = Bias::columns, p.bias_type = p.out, p.activation = Activation::silu, p.ldc += 3 + padding;
        for (const double beta : {0.0, 1.0, 2.0}) {
          const Verdict verdict = check(contender, make_case(1, p, {1, beta}, Mode::rounding, 0));
          EXPECT_EQ(verdict.outcome, Outcome::passed) << p.full() << ": " << verdict.what;
        }
      }
    }
    const Problem product = Problem::packed(Type::f32, Op::none, Op::none, 8, 8, 8);
    EXPECT_NE(check(contender, make_case(1, product, {1, 0}, Mode::exact, 0)).what.find("it multiplies nothing"),
              std::string::npos);
    return;
  }
  FAIL() << "there is no lab/activate";
}

TEST_F(LabKernels, EdgesAreRefused) {
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 100, 128, 128);
  for (const Rung* rung : dispatch::ladder_of(runtime::Kind::emu)) {
    if (rung->id == "lab/activate") continue;
    RungContender contender(machine_, *rung, 0);
    const Verdict verdict = check(contender, make_case(1, p, {1, 0}, Mode::exact, 0));
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_NE(verdict.what.find("takes full tiles"), std::string::npos) << verdict.what;
  }
}

}  // namespace
}  // namespace cairn::lab::verify
