// The baselines without a GPU: the file that keeps choices, the search for the fastest, and the cuBLAS contenders
// with something that is not cuBLAS in its place.
#include "lab/baselines.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lab/contender_cublas.hpp"
#include "lab/cublas_names.hpp"
#include "lab/exit.hpp"
#include "lab/verify/verify.hpp"
#include "tests/support/folder.hpp"

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;
using test::Folder;

LtAlgorithm algorithm(std::uint64_t first) { return {{first, 2, 3, 4, 5, 6, 7, ~std::uint64_t{0}}, 1 << 20}; }

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

// In cuBLAS's place: the CPU's reference, as four algorithms of different speed.
struct Counts {
  int opened = 0, searched = 0, refused = 0;
  std::vector<Alignment> asked;
  Pipes pipes = Pipes::all;    // asked for last
  std::uint64_t last = 99;     // the algorithm that ran last,
  Call last_call;              // and what it was called with
  int activations = 0;         // kernels looked for
  bool breaks = false;         // every run fails
  bool refuses_check = false;  // a kept choice no longer runs
};

constexpr std::uint64_t kAlgorithms = 4, kBest = 2;

class FakeCublas final : public Cublas {
 public:
  FakeCublas(const std::shared_ptr<runtime::Machine>& machine, std::shared_ptr<Counts> counts)
      : counts_(std::move(counts)) {
    expect(contenders(-1, cpu_));
    expect(select({"cpu/reference"}, cpu_));
    EXPECT_EQ(machine->facts().kind, runtime::Kind::cpu);
  }
  std::string version() const override { return "0.0.0"; }
  Status gemm_ex(const Call& call, runtime::Stream stream) override {
    EXPECT_TRUE(call.A != nullptr && call.B != nullptr) << "cuBLAS does not promise to leave them unread";
    if (auto s = cpu_[0]->prepare(call.problem); !s.ok()) return s;
    return cpu_[0]->run(call, stream);
  }
  Status matmul(const LtDescription& description, const LtAlgorithm& which, const Call& call,
                runtime::Stream stream) override {
    EXPECT_EQ(description.problem, call.problem);
    if (counts_->breaks) return {Code::device_error, "broken"};
    counts_->last = which.opaque[0], counts_->last_call = call;
    if (which.opaque[0] != kBest) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return gemm_ex(call, stream);
  }
  Status describe(const Problem& problem, std::shared_ptr<const LtDescription>& out) override {
    out = std::make_shared<LtDescription>(problem);
    return {};
  }
  Status heuristics(const LtDescription& description, Alignment alignment, Pipes pipes, int most,
                    std::vector<LtAlgorithm>& out) override {
    counts_->pipes = pipes;
    if (description.problem.in == Type::e4m3 && description.problem.m % 16 != 0)
      return {Code::unsupported, "m must be a multiple of 16"};
    counts_->asked.push_back(alignment);
    if (most > 1) ++counts_->searched;
    for (std::uint64_t i = 0; i < kAlgorithms && static_cast<int>(i) < most; ++i) out.push_back(algorithm(i));
    return {};
  }
  Status check(const LtDescription&, LtAlgorithm&) override {
    if (counts_->refuses_check) return {Code::unsupported, "not any more"};
    return {};
  }
  LtAttributes attributes(const LtAlgorithm& which) const override {
    LtAttributes a;
    a.id = static_cast<std::int64_t>(which.opaque[0]);
    return a;
  }

 private:
  std::shared_ptr<Counts> counts_;
  Contenders cpu_;
};

// The contenders on the CPU.
class Fake {
 public:
  explicit Fake(const fs::path& choices, bool keep = true) {
    std::shared_ptr<runtime::Machine> cpu;
    expect(runtime::open(-1, cpu));
    CublasSettings settings;
    settings.open = [counts = counts_](const auto& machine, std::unique_ptr<Cublas>& out) -> Status {
      ++counts->opened;
      out = std::make_unique<FakeCublas>(machine, counts);
      return {};
    };
    settings.choices = choices;
    settings.effort.cache = measure::Cache::hot;
    settings.effort.samples = 3;
    settings.keep = keep;
    settings.activate = [counts = counts_] {
      ++counts->activations;
      Contenders all;
      expect(contenders(-1, all));
      expect(select({"cpu/reference"}, all));
      return std::move(all[0]);
    };
    add_cublas(cpu, all_, settings);
  }
  Contender& operator[](const std::string& id) {
    for (const auto& contender : all_)
      if (contender->id() == "cublas/" + id) return *contender;
    throw Error(kFailed, "no contender " + id);
  }
  Counts& counts() { return *counts_; }
  const Contenders& all() const { return all_; }

 private:
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  Contenders all_;
};

const Problem kSmall = Problem::packed(Type::f32, Op::none, Op::none, 16, 16, 16);

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

TEST(Cublas, IsOpenedOnceAndNotBeforeItIsWanted) {
  Fake fake("");
  const auto taken_by = [](const Contender& contender) {  // doubles, which all of them take
    Problem p = Problem::packed(Type::f64, Op::none, Op::none, 16, 16, 16);
    if (contender.id() == "cublas/lt_then") p.activation = Activation::silu;
    return p;
  };
  for (const auto& contender : fake.all()) {
    EXPECT_TRUE(contender->is_baseline());
    EXPECT_EQ(contender->refuses(taken_by(*contender)), "");
  }
  EXPECT_EQ(fake.counts().opened, 0) << "to list it is not to want it";
  for (const auto& contender : fake.all()) EXPECT_TRUE(contender->prepare(taken_by(*contender)).ok());
  EXPECT_EQ(fake.counts().opened, 1);
}

TEST(Cublas, AsksForTheAlignmentThatThePointersHave) {
  Fake fake("");
  ASSERT_TRUE(fake["lt_tuned"].prepare(kSmall).ok());
  std::vector<float> memory(4 * 256 + 64);
  auto* at = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) / 256 * 256);
  const Call aligned{kSmall, 1, at, at + 256, 0, at + 512};
  const Call shifted{kSmall, 1, at + 1, at + 256 + 4, 0, at + 520 + 2};
  fake.counts().asked.clear();
  ASSERT_TRUE(fake["lt_tuned"].run(aligned, nullptr).ok());
  EXPECT_EQ(fake.counts().last, kBest);
  EXPECT_TRUE(fake.counts().asked.empty());
  ASSERT_TRUE(fake["lt_tuned"].run(shifted, nullptr).ok());
  ASSERT_TRUE(fake["lt_tuned"].run(shifted, nullptr).ok());
  ASSERT_EQ(fake.counts().asked.size(), 1u) << "asked once, then remembered";
  EXPECT_EQ(fake.counts().asked[0], (Alignment{4, 16, 8}));
  EXPECT_EQ(fake.counts().last, 0u) << "what was tuned for aligned pointers may not run with others";
  ASSERT_TRUE(fake["lt_tuned"].run(aligned, nullptr).ok());
  EXPECT_EQ(fake.counts().last, kBest);
}

TEST(Cublas, RefusesInOneSentence) {
  Fake fake("");
  const auto refuses = [&](const char* id, const char* problem) {
    Problem p;
    EXPECT_TRUE(parse(problem, p).ok()) << problem;
    return fake[id].refuses(p);
  };
  EXPECT_EQ(refuses("gemm_ex", "e4m3:bf16 nt 16"), "cublasGemmEx takes no e4m3");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nn 16"),
            "cuBLAS multiplies e4m3 only as row-major nt, which is column-major tn");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 order=column"),
            "cuBLAS multiplies e4m3 only as row-major nt, which is column-major tn");
  EXPECT_EQ(fake.counts().opened, 0);
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 tn 16 order=column"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 17x16x16"), "m must be a multiple of 16");
  EXPECT_EQ(refuses("gemm_ex", "bf16 nn 16 scale_a=vector"), "cublasGemmEx has no epilogue");
  EXPECT_EQ(refuses("gemm_ex", "bf16 nn 16 groups=2"), "");
  EXPECT_EQ(refuses("lt_first", "bf16 nn 16 groups=2"), "cuBLASLt takes no groups of rows on Hopper");
  EXPECT_EQ(refuses("lt_first", "bf16 nn 16 scale_a=vector"), "cuBLASLt scales only e4m3");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=vector scale_b=vector"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=tensor"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=vector scale_b=tensor"),
            "cuBLASLt takes a vector of scales for both operands or for none");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=vector_blocks scale_b=blocks"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=vector_blocks scale_b=vector_blocks"), "");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=vector_blocks scale_b=tensor"),
            "cuBLASLt takes scales of 128 for both operands or for none");
  EXPECT_EQ(refuses("lt_first", "e4m3:bf16 nt 16 scale_a=blocks scale_b=blocks"),
            "cuBLASLt takes scales of 128x128 for one operand only");
  for (const char* id : {"gemm_ex", "lt_first", "lt_tuned"}) {
    EXPECT_EQ(refuses(id, "f32 nn 4x4x0"), "k is 0; the cuBLAS contenders take k of 1 or more");
    EXPECT_NE(refuses(id, "f32 nn 4 lda=1"), "");
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    EXPECT_EQ(refuses(id, "f32 nn 4"), "NVIDIA_TF32_OVERRIDE is set and changes how cuBLAS multiplies; unset it");
    EXPECT_EQ(refuses(id, "bf16 nn 4"), "");
    unsetenv("NVIDIA_TF32_OVERRIDE");
    EXPECT_EQ(refuses(id, "f32 nn 4"), "");
  }
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::transpose, 16, 16, 16);
  std::vector<std::uint8_t> bytes(272), sums(256);
  const Status s = fake["lt_first"].run({p, 1, bytes.data(), bytes.data(), 1, sums.data()}, nullptr);
  EXPECT_EQ(s.code(), Code::unsupported);
  EXPECT_EQ(s.message(), "cuBLAS adds no C of e4m3 to a product; beta must be 0");
  const Status off = fake["lt_first"].run({p, 1, bytes.data() + 1, bytes.data(), 0, sums.data()}, nullptr);
  EXPECT_EQ(off.code(), Code::unsupported);
  EXPECT_EQ(off.message(), "cuBLAS takes e4m3 only where A, B and C are aligned to 16 bytes");
}

// 160 rows by 520 of k, and 144 columns: five blocks along k, the last of eight, and two of 128 columns.
TEST(Cublas, ScalesOf128ArriveInItsOrder) {
  Fake fake("");
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::transpose, 160, 144, 520);
  p.out = Type::f32, p.scale_a = Scale::vector_blocks, p.scale_b = Scale::blocks;
  std::vector<std::uint8_t> A(160 * 520 + 16), B(144 * 520 + 16);
  std::vector<float> C(160 * 144 + 64), scale_a(160 * 5 + 4), scale_b(2 * 5 + 4);
  const auto aligned = [](auto& memory) {
    return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16);
  };
  Call call{p, 1, aligned(A), aligned(B), 0, aligned(C)};
  call.scale_a = aligned(scale_a), call.scale_b = aligned(scale_b);
  aligned(scale_a)[3 * 5 + 4] = 7, aligned(scale_b)[1 * 5 + 2] = 9;
  auto& lt = fake["lt_first"];
  ASSERT_TRUE(lt.prepare(p).ok());
  ASSERT_TRUE(lt.run(call, nullptr).ok());
  const Call& seen = fake.counts().last_call;
  EXPECT_EQ(static_cast<const float*>(seen.scale_a)[4 * 160 + 3], 7) << "rows of a block of k are neighbours";
  EXPECT_EQ(static_cast<const float*>(seen.scale_b)[1 * 8 + 2], 9) << "a line of blocks has whole fours";

  const void* const first = seen.scale_a;
  aligned(scale_a)[3 * 5 + 4] = 8;
  ASSERT_TRUE(lt.run(call, nullptr).ok());
  EXPECT_EQ(fake.counts().last_call.scale_a, first) << "rearranged once, so that calls can be captured";
  ASSERT_TRUE(lt.prepare(p).ok());
  ASSERT_TRUE(lt.run(call, nullptr).ok());
  EXPECT_EQ(static_cast<const float*>(fake.counts().last_call.scale_a)[4 * 160 + 3], 8) << "anew after prepare()";

  call.alpha = 0;
  ASSERT_TRUE(lt.run(call, nullptr).ok());
  EXPECT_EQ(fake.counts().last_call.scale_a, nullptr) << "nothing is multiplied, so no scale is read";
}

TEST(Cublas, SaysWhatRan) {
  Fake fake("");
  const auto details = [&](const char* id, const char* problem) {
    Problem p;
    EXPECT_TRUE(parse(problem, p).ok()) << problem;
    EXPECT_TRUE(fake[id].prepare(p).ok());
    return fake[id].details();
  };
  EXPECT_EQ(details("gemm_ex", "f32 nn 16"), "default algorithm");
  EXPECT_EQ(details("gemm_ex", "f32 nn 16 groups=2"), "default algorithm, a call for each group");
  EXPECT_EQ(details("gemm_ex", "split nn 16"), "default algorithm, plain f32, which promises the same accuracy");
  const std::string first = "algorithm 0, tile id 0, stages id 0, split-k 1, swizzle 0, first heuristic";
  EXPECT_EQ(details("lt_first", "e4m3:bf16 nt 16"), first + ", no fast accumulation");
  EXPECT_EQ(details("lt_first", "e4m3fast:bf16 nt 16"), first + ", fast accumulation");
}

// alpha = 0 over null and NaN, beta = 0 over NaN, empty products, both orders, batches, offsets: all of what the
// contenders do before and after cuBLAS is in here.
TEST(Cublas, PassesVerificationWithTheReferenceInItsPlace) {
  Fake fake("");
  for (const char* id : {"gemm_ex", "lt_first"}) {
    verify::Space space;
    space.max_size = 20;
    for (const verify::Space taken = verify::taken_by(fake[id], space); const Problem& kind : taken.like)
      if (kind.in != Type::e4m3) space.like.push_back(kind);
    const verify::Tally tally = verify::fuzz(fake[id], space, 300, 1);
    for (const auto& failure : tally.failures) ADD_FAILURE() << failure.test.describe() << "\n  " << failure.what;
    EXPECT_GT(tally.passed, 200) << id;
  }
}

// Two calls, the second of which rounds again: within a bound that says so, for the activations that cuBLASLt lacks.
TEST(ThenActivation, MultipliesAndThenAppliesWhatCublasLtDoesNotHave) {
  Fake fake("");
  Contender& then = fake["lt_then"];
  const auto refuses = [&](const char* problem) {
    Problem p;
    EXPECT_TRUE(parse(problem, p).ok()) << problem;
    return then.refuses(p);
  };
  const char* const lacking = "it is for the activations that cuBLASLt does not have, GELU and SiLU";
  EXPECT_EQ(refuses("bf16 nn 16"), lacking);
  EXPECT_EQ(refuses("bf16 nn 16 activation=relu"), lacking);
  EXPECT_EQ(refuses("bf16 nn 16 activation=gelu_tanh"), lacking);
  EXPECT_EQ(refuses("bf16 nn 16 activation=silu before=stored"), "it stores no values before an activation");
  EXPECT_EQ(refuses("bf16 nn 16 activation=silu batch=2"), "it takes one product");
  EXPECT_EQ(refuses("bf16 nn 16 activation=silu bias=rows"), "cuBLASLt adds a bias only along the other side of C");
  EXPECT_EQ(fake.counts().activations, 0) << "it is looked for when it is needed";
  EXPECT_EQ(refuses("bf16 nn 16 activation=silu bias=columns bias_type=bf16"), "");
  EXPECT_EQ(fake.counts().activations, 1);
  EXPECT_TRUE(then.is_baseline());

  verify::Space space;
  space.max_size = 20;
  for (const verify::Space taken = verify::taken_by(fake["lt_first"], space); Problem kind : taken.like) {
    kind.bias = Bias::columns, kind.bias_type = kind.out;
    for (const Activation f : {Activation::gelu, Activation::silu}) {
      kind.activation = f;
      if (then.refuses(kind).empty()) space.like.push_back(kind);
    }
  }
  ASSERT_FALSE(space.like.empty());
  const verify::Tally tally = verify::fuzz(then, space, 60, 1);
  for (const auto& failure : tally.failures) ADD_FAILURE() << failure.test.describe() << "\n  " << failure.what;
  EXPECT_GT(tally.passed, 30);
}

}  // namespace
}  // namespace cairn::lab
