// The cuBLAS contenders, with something that is not cuBLAS in its place: what they ask of it, refuse, say and compute.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/verify/verify.hpp"
#include "tests/lab/fake_cublas.hpp"

namespace cairn::lab {
namespace {

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
