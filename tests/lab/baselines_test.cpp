// The baselines without a GPU: the file that keeps choices, and the search for the fastest algorithm, with something
// that is not cuBLAS in its place.
#include "lab/baselines.hpp"

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "lab/cublas_names.hpp"
#include "tests/lab/fake_cublas.hpp"
#include "tests/support/folder.hpp"

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;
using test::Folder;

TEST(Baselines, SayWhyThereAreNone) {
  EXPECT_NE(no_baseline(runtime::Kind::emu), "");
  Contenders all;
  std::shared_ptr<runtime::Machine> cpu;
  ASSERT_TRUE(runtime::open(-1, cpu).ok());
  add_baselines(cpu, all);
  EXPECT_EQ(all.empty(), !no_baseline(runtime::Kind::cpu).empty());
  for (const auto& contender : all) EXPECT_TRUE(contender->is_baseline()) << contender->id();
  if (!built_with_cublas()) {
    EXPECT_EQ(no_baseline(runtime::Kind::gpu), "this build has no cuBLAS");
  }
}

TEST(CublasNames, AreThoseOfTheHeader) {
  if (!built_with_cublas()) GTEST_SKIP() << "this build has no cuBLAS";
  EXPECT_EQ(cublas_tile(20), "128x128");
  EXPECT_EQ(cublas_stages(16), "64x4");
  EXPECT_EQ(cublas_stages(36), "128xAUTO");
  EXPECT_EQ(cublas_cluster(3), "2x1x1");
  EXPECT_EQ(cublas_tile(0), "");
  EXPECT_EQ(cublas_tile(1'000'000), "");
}

TEST(LtTuned, TakesTheFastestAndKeepsIt) {
  const Folder folder;
  Fake first(folder / "choices.json");
  ASSERT_TRUE(first["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(first["lt_tuned"].details(),
            "algorithm 2, tile id 0, stages id 0, split-k 1, swizzle 0, "
            "number 3 of 4 heuristics, 4 timed");
  ASSERT_TRUE(first["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(first.counts().searched, 1) << "a second time it knows";

  Fake second(folder / "choices.json");
  ASSERT_TRUE(second["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(second.counts().searched, 0);
  EXPECT_EQ(second["lt_tuned"].details(), "algorithm 2, tile id 0, stages id 0, split-k 1, swizzle 0, kept choice");
  std::vector<float> A(256, 1), B(256, 1), C(256 + 64);
  auto* aligned = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(C.data()) + 255) / 256 * 256);
  ASSERT_TRUE(second["lt_tuned"].run({kSmall, 1, A.data(), B.data(), 0, aligned}, nullptr).ok());
  EXPECT_EQ(aligned[0], 16);

  Problem other = kSmall;
  other.m = 8;
  ASSERT_TRUE(second["lt_tuned"].prepare(other).ok());
  EXPECT_EQ(second.counts().searched, 1) << "another problem is another choice";
}

// Those of a brief search may not be the fastest, so a later run must not take them for that.
TEST(LtTuned, WritesNoChoiceThatIsNotToBeKept) {
  const Folder folder;
  Fake brief(folder / "choices.json", false);
  ASSERT_TRUE(brief["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(brief.counts().searched, 1);
  EXPECT_EQ(folder.files(), 0);
  ASSERT_TRUE(Fake(folder / "choices.json")["lt_tuned"].prepare(kSmall).ok());
  Fake again(folder / "choices.json", false);
  ASSERT_TRUE(again["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(again.counts().searched, 0) << "what a full search found serves it too";
}

TEST(Search, ABriefOneTakesAQuarterOfAFullOne) {
  const Effort full, brief = brief_effort();
  EXPECT_LE(4 * (brief.first_seconds + brief.second_seconds), full.first_seconds + full.second_seconds);
  EXPECT_EQ(brief.at_least, full.at_least);
}

TEST(LtFma, IsSearchedForAndKeptApart) {
  const Folder folder;
  const Problem doubles = Problem::packed(Type::f64, Op::none, Op::none, 16, 16, 16);
  Fake fake(folder / "choices.json");
  ASSERT_TRUE(fake["lt_tuned"].prepare(doubles).ok());
  EXPECT_EQ(fake.counts().pipes, Pipes::all);
  ASSERT_TRUE(fake["lt_fma"].prepare(doubles).ok());
  EXPECT_EQ(fake.counts().pipes, Pipes::fma);
  EXPECT_EQ(fake.counts().searched, 2) << "what lt_tuned found is no choice for it";
  Fake second(folder / "choices.json");
  ASSERT_TRUE(second["lt_fma"].prepare(doubles).ok());
  EXPECT_EQ(second.counts().searched, 0);
  EXPECT_NE(fake["lt_fma"].refuses(kSmall), "") << "f32 has no tensor cores to do without";
}

TEST(LtTuned, SearchesAgainWhereAKeptChoiceIsRefused) {
  const Folder folder;
  ASSERT_TRUE(Fake(folder / "choices.json")["lt_tuned"].prepare(kSmall).ok());
  Fake fake(folder / "choices.json");
  fake.counts().refuses_check = true;
  ASSERT_TRUE(fake["lt_tuned"].prepare(kSmall).ok());
  EXPECT_EQ(fake.counts().searched, 1);
}

TEST(LtTuned, NeedsNoFile) {
  const Folder folder;
  test::write(folder / "choices.json", "not json");
  for (const fs::path& choices : {fs::path(), folder / "choices.json"}) {
    Fake fake(choices);
    ASSERT_TRUE(fake["lt_tuned"].prepare(kSmall).ok());
    EXPECT_EQ(fake.counts().searched, 1);
  }
  EXPECT_EQ(test::read(folder / "choices.json"), "not json");
}

TEST(LtTuned, FallsBackOnTheFirstWhereNothingCanBeTimed) {
  const Folder folder;
  Fake fake(folder / "choices.json");
  fake.counts().breaks = true;
  ASSERT_TRUE(fake["lt_tuned"].prepare(kSmall).ok());
  const std::string details = fake["lt_tuned"].details();
  EXPECT_NE(details.find("algorithm 0"), std::string::npos) << details;
  EXPECT_NE(details.find("the search failed: no algorithm runs: broken"), std::string::npos) << details;
  EXPECT_EQ(folder.files(), 0) << "a failed search is not kept";
}

}  // namespace
}  // namespace cairn::lab
