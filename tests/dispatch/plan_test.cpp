// What a plan says of the ladder on GPUs that are not here.
#include "src/dispatch/plan.hpp"

#include <gtest/gtest.h>

namespace cairn::dispatch {
namespace {

runtime::Facts gpu(int arch) {
  runtime::Facts facts;
  facts.kind = runtime::Kind::emu;
  facts.name = "a GPU";
  facts.units = 132;
  facts.arch = arch;
  return facts;
}

TEST(Plan, TellsWhyEveryRungRefuses) {
  const Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 4, 4, 4);
  std::shared_ptr<const Plan::Impl> plan;
  const Status refused = make_plan(gpu(80), p, plan);
  EXPECT_EQ(refused.code(), Code::unsupported);
  for (const char* why : {"simt/22_pipelined: it multiplies f32 into f32, f64 into f64",
                          "hopper/59_summit: it needs sm_90 and no other, this is sm_80"})
    EXPECT_NE(refused.message().find(why), std::string::npos) << refused.message();
  ASSERT_TRUE(make_plan(gpu(90), p, plan).ok());
  EXPECT_EQ(plan->id, "hopper/59_summit");
}

// Rows of 4096 bytes are aligned, and pointers may not be. tensor/39 takes them in bf16; of e4m3 there are copies.
TEST(Plan, HasMemoryForCopiesWhereNobodyStandsBy) {
  std::shared_ptr<const Plan::Impl> plan;
  ASSERT_TRUE(make_plan(gpu(90), Problem::packed(Type::e4m3, Op::none, Op::transpose, 4096, 4096, 4096), plan).ok());
  EXPECT_EQ(plan->other, nullptr);
  EXPECT_GE(plan->workspace, 2u * 4096 * 4096);
  ASSERT_TRUE(make_plan(gpu(90), Problem::packed(Type::bf16, Op::none, Op::transpose, 4096, 4096, 4096), plan).ok());
  ASSERT_NE(plan->other, nullptr);
  EXPECT_EQ(plan->other->id, "tensor/39_mma_stream_k");
  EXPECT_LT(plan->workspace, 2u * 4096 * 4096);
}

}  // namespace
}  // namespace cairn::dispatch
