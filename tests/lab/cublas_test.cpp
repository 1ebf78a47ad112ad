// cuBLAS through our contenders: right for every type and layout it takes, at sizes and places that are not its
// favourites; chosen algorithms are kept; everything can be recorded in a graph. Needs a GPU and cuBLAS.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/baselines.hpp"
#include "lab/contender_cublas.hpp"
#include "lab/exit.hpp"
#include "lab/verify/verify.hpp"
#include "tests/kernels/cases.hpp"
#include "tests/support/folder.hpp"

namespace cairn::lab {
namespace {

using verify::Case;
using verify::Mode;
using verify::Outcome;

std::shared_ptr<runtime::Machine> machine;  // opened by main

constexpr const char* kIds[] = {"cublas/gemm_ex", "cublas/lt_first", "cublas/lt_tuned"};
constexpr int kMostFailures = 20;  // of one test: enough to see what they have in common

// A search that is over at once: how good a choice is does not matter here.
CublasSettings quick() {
  CublasSettings settings;
  settings.choices.clear();
  settings.most_algorithms = 6;
  settings.effort.cache = measure::Cache::hot;
  settings.effort.first_seconds = 0.02;
  settings.effort.at_least = 2;
  settings.effort.samples = 3;
  return settings;
}

class Three {
 public:
  explicit Three(const CublasSettings& settings = quick()) { add_cublas(machine, all_, settings); }
  Contender& operator[](const std::string& id) const {
    for (const auto& contender : all_)
      if (contender->id() == id) return *contender;
    throw Error(kFailed, "no contender " + id);
  }

 private:
  Contenders all_;
};

Problem parsed(const std::string& text) {
  Problem p;
  EXPECT_TRUE(parse(text, p).ok()) << text;
  return p;
}

// One case; true if it was run and right. Says all there is to know of a failure.
bool passes(Contender& contender, const Case& test) {
  const verify::Verdict verdict = verify::check(contender, test);
  if (verdict.outcome == Outcome::failed) {
    ADD_FAILURE() << contender.id() << ": " << test.describe() << "\n  " << verdict.what << "\n  "
                  << contender.details() << "\n  " << test.problem.full() << ", seed " << test.seed;
  }
  return verdict.outcome == Outcome::passed;
}

bool enough_failures() {
  const auto* result = testing::UnitTest::GetInstance()->current_test_info()->result();
  return result->total_part_count() >= kMostFailures;
}

class EveryType : public testing::TestWithParam<const char*> {
 protected:
  // Real numbers are judged as the problem promises them; TF32 may round its inputs more coarsely than the judge
  // allows.
  static bool judged(const Case& test) { return test.mode == Mode::exact || test.problem.compute != Compute::tf32; }
};

TEST_P(EveryType, IsRightInEveryLayoutAtAwkwardSizes) {
  const Three cublas;
  int passed = 0;
  for (const char* id : {"cublas/gemm_ex", "cublas/lt_first"})
    for (const char* order : {"row", "column"})
      for (const char* layout : {"nn", "nt", "tn", "tt"}) {
        Problem like = parsed(std::string(GetParam()) + " " + layout + " 1 order=" + order);
        const auto cases = verify::edge_cases(like);
        for (std::size_t i = 0; i < cases.size() && !enough_failures(); i += like.order == Order::row ? 1 : 3)
          if (judged(cases[i])) passed += passes(cublas[id], cases[i]);
        like.batch = 3;
        like.m = 17, like.n = 33, like.k = 5;
        for (unsigned placement = 0; placement < 4 && !enough_failures(); ++placement)
          passed += passes(cublas[id], make_case(1000 + placement, like, {1, 0.5}, Mode::exact, placement));
      }
  EXPECT_GT(passed, 1500);  // tf32 takes part in fewer
}

TEST_P(EveryType, IsRightWithATunedAlgorithm) {
  const Three cublas;
  std::uint64_t seed = 0;
  for (const char* layout : {"nn", "nt", "tn", "tt"})
    for (const char* shape : {"33x17x35", "128x256x64", "1000x40x513", "8x8x4096"}) {
      const Problem like = parsed(std::string(GetParam()) + " " + layout + " " + shape);
      for (unsigned placement = 0; placement < 4 && !enough_failures(); ++placement)
        EXPECT_TRUE(passes(cublas["cublas/lt_tuned"], make_case(seed++, like, {1, 0}, Mode::exact, placement)))
            << cublas["cublas/lt_tuned"].refuses(like);
    }
}

// A sample of a stopwatch is a graph if the contender can be recorded: no allocation, no waiting.
TEST_P(EveryType, CanBeRecordedInAGraph) {
  const Three cublas;
  const std::string type = GetParam();
  for (const char* shape : {"256x256x256", "33x17x35", "64x64x16384", "40x24x72 batch=3"}) {
    const measure::Ring ring(machine, parsed(type + " nt " + shape), 1, measure::Cache::hot);
    for (const char* id : kIds) {
      ASSERT_TRUE(cublas[id].prepare(ring.problem()).ok());
      const measure::Stopwatch watch(
          ring, [&](const Call& call, runtime::Stream stream) { return cublas[id].run(call, stream); });
      EXPECT_TRUE(watch.in_graph()) << id << ", " << ring.problem().brief() << ": " << watch.why_not();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cublas, EveryType,
                         testing::Values("f64", "f32", "tf32", "split", "f16", "f16:f32", "bf16", "bf16:f32"),
                         [](const auto& type) {
                           std::string name = type.param;
                           if (const auto colon = name.find(':'); colon != std::string::npos) name[colon] = '_';
                           return name;
                         });

// As `cairn verify` does it.
TEST(Cublas, SurvivesFuzzing) {
  const Three cublas;
  for (const char* id : kIds) {
    const verify::Tally tally = verify::fuzz(cublas[id], {}, 300, 1);
    for (const auto& failure : tally.failures) {
      ADD_FAILURE() << id << ": " << failure.test.describe() << "\n  " << failure.what << "\n  "
                    << verify::replay_command(id, failure.test, "gpu", {});
    }
    EXPECT_EQ(tally.failed, 0) << id;
    EXPECT_GT(tally.passed, 200) << id << ", refused " << tally.refused;
  }
}

// Sums of small integers are exact even in the tensor core's own accumulators.
TEST(Cublas, IsRightForE4m3InTheOneLayoutItTakes) {
  const Three cublas;
  std::uint64_t seed = 0;
  for (const char* id : {"cublas/lt_first", "cublas/lt_tuned"})
    for (const char* type : {"e4m3:bf16", "e4m3:f16", "e4m3:f32", "e4m3", "e4m3fast:bf16", "e4m3fast:f32"})
      for (const char* layout : {"nt", "tn order=column"})
        for (const char* shape : {"16", "64x48x32", "256x128x192", "80x272x128 batch=3"}) {
          if (enough_failures()) return;
          const Problem p = parsed(std::string(type) + " " + shape + " " + layout);
          if (const std::string why = cublas[id].refuses(p); !why.empty()) {
            ADD_FAILURE() << id << " refuses " << p.brief() << ": " << why;
            continue;
          }
          for (const verify::Scalars scalars : {verify::Scalars{1, 0}, {1, 1}, {-0.5, 0.5}, {0, 0.5}, {0, 0}}) {
            if (p.out == Type::e4m3 && scalars.beta != 0) continue;
            EXPECT_TRUE(passes(cublas[id], make_case(seed++, p, scalars, Mode::exact, 0)));
            // Some of its kernels for small products round to the type of C before they add beta C, and again after.
            if (scalars.beta == 0 || p.out == Type::f32) {
              EXPECT_TRUE(passes(cublas[id], make_case(seed++, p, scalars, Mode::rounding, 0)));
            }
            Case apart = make_case(seed++, p, scalars, Mode::exact, 0);  // lines and pointers 16 elements further
            Problem& q = apart.problem;
            q.lda += 16, q.ldb += 16, q.ldc += 16;
            q.stride_a = q.a().major * q.lda, q.stride_b = q.b().major * q.ldb, q.stride_c = q.c().major * q.ldc;
            apart.offset_a = apart.offset_b = apart.offset_c = 16;
            EXPECT_TRUE(passes(cublas[id], apart));
          }
        }
}

TEST(Cublas, RefusesE4m3ElsewhereInOneSentence) {
  const Three cublas;
  for (const char* id : kIds)
    for (const char* problem : {"e4m3:bf16 nn 64", "e4m3:bf16 tt 64", "e4m3:bf16 nt 64x64x63", "e4m3:f32 nt 1"}) {
      const std::string why = cublas[id].refuses(parsed(problem));
      EXPECT_FALSE(why.empty()) << id << " takes " << problem;
      EXPECT_EQ(why.find('\n'), std::string::npos) << why;
      std::cout << id << ", " << problem << ": " << why << '\n';
    }
  // Where a pointer stands is not part of the problem, so it is said when it is seen.
  Case off = make_case(1, parsed("e4m3:bf16 nt 64"), {1, 0}, Mode::exact, 0);
  off.offset_a = 1;
  const verify::Verdict verdict = verify::check(cublas["cublas/lt_first"], off);
  EXPECT_NE(verdict.outcome, Outcome::passed);
  EXPECT_NE(verdict.what.find("only where A, B and C are aligned to 16 bytes"), std::string::npos) << verdict.what;
}

TEST(Cublas, KeepsAChoiceAndFindsItAgain) {
  const test::Folder folder;
  CublasSettings settings;
  settings.choices = folder / "choices.json";
  const Problem problem = parsed("bf16 nt 512x1024x768");
  const auto details = [&] {
    const Three cublas(settings);
    EXPECT_TRUE(cublas["cublas/lt_tuned"].prepare(problem).ok());
    return cublas["cublas/lt_tuned"].details();
  };
  const std::string searched = details(), kept = details();
  std::cout << searched << '\n' << test::read(settings.choices);
  EXPECT_NE(searched.find(" timed"), std::string::npos) << searched;
  EXPECT_NE(kept.find("kept choice"), std::string::npos) << kept;
  const auto algorithm = [](const std::string& text) { return text.substr(0, text.find("swizzle")); };
  EXPECT_EQ(algorithm(kept), algorithm(searched));

  // One that does not run this problem is searched again: an algorithm for doubles.
  std::unique_ptr<Cublas> cublas;
  std::shared_ptr<const LtDescription> doubles;
  std::vector<LtAlgorithm> foreign;
  ASSERT_TRUE(open_cublas(machine, cublas).ok());
  ASSERT_TRUE(cublas->describe(parsed("f64 nn 100"), doubles).ok());
  ASSERT_TRUE(cublas->heuristics(*doubles, {}, Pipes::all, 1, foreign).ok());
  const ChoiceKey key{machine->facts().name, cublas->version(), choice_text(problem)};
  ASSERT_TRUE(find_choice(settings.choices, key)) << test::read(settings.choices);
  ASSERT_TRUE(keep_choice(settings.choices, key, foreign[0], {}));
  const std::string again = details();
  EXPECT_NE(again.find(" timed"), std::string::npos) << again;
}

TEST(Cublas, MultipliesDoublesWithoutTensorCoresOnRequest) {
  const Three cublas;
  Contender& fma = cublas["cublas/lt_fma"];
  for (const char* layout : {"nn", "nt", "tn", "tt"})
    EXPECT_TRUE(
        passes(fma, make_case(7, parsed(std::string("f64 ") + layout + " 70x50x90"), {1, 0.5}, Mode::exact, 0)));
  const Problem large = parsed("f64 nn 1024");
  ASSERT_TRUE(fma.prepare(large).ok());
  std::cout << fma.details() << '\n';
}

TEST(Cublas, SaysWhatRan) {
  const Three cublas;
  for (const char* problem :
       {"f64 nn 512", "f32 nt 1024", "tf32 nt 1024", "split nn 256", "bf16 nn 4096", "f16 nt 64"})
    for (const char* id : kIds) {
      ASSERT_TRUE(cublas[id].prepare(parsed(problem)).ok()) << id << ", " << problem;
      EXPECT_NE(cublas[id].details(), "");
      std::cout << id << ", " << problem << ": " << cublas[id].details() << '\n';
    }
}

}  // namespace
}  // namespace cairn::lab

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("CAIRN_CHOICES", "", 1);  // nobody's own choices are touched
  if (const auto s = cairn::runtime::open(0, cairn::lab::machine); !s.ok()) {
    std::cout << "skipped: " << s.message() << '\n';
    return 77;
  }
  if (const std::string why = cairn::lab::no_baseline(cairn::runtime::Kind::gpu); !why.empty()) {
    std::cout << "skipped: " << why << '\n';
    return 77;
  }
  std::cout << "cuBLAS " << cairn::lab::cublas_version() << " on " << cairn::lab::machine->facts().name << '\n';
  const int result = RUN_ALL_TESTS();
  cairn::lab::machine.reset();
  return result;
}
