// Which rung a plan takes, and the text of why(), for GPUs given as facts.
#include "src/dispatch/plan.hpp"

#include <gtest/gtest.h>

#include "src/dispatch/named.hpp"

namespace cairn::dispatch {
namespace {

runtime::Facts gpu(int arch) {
  runtime::Facts facts;
  facts.kind = runtime::Kind::emu;
  facts.name = "a GPU";
  facts.units = 132;
  facts.arch = arch;
  facts.clock_mhz = 1980;
  return facts;
}

std::shared_ptr<const Plan::Impl> planned(int arch, const Problem& p) {
  std::shared_ptr<const Plan::Impl> plan;
  const Status s = make_plan(gpu(arch), p, plan);
  EXPECT_TRUE(s.ok()) << s.message();
  return plan;
}

Problem square(Type type, std::int64_t size = 4096, Op op_b = Op::transpose) {
  return Problem::packed(type, Op::none, op_b, size, size, size);
}

TEST(Plan, NamesTheClosestRungWhereEveryRungRefuses) {
  const Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 4, 4, 4);
  std::shared_ptr<const Plan::Impl> plan;
  const Status refused = make_plan(gpu(80), p, plan);
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_TRUE(refused.message().starts_with("no rung takes e4m3 nn 4x4x4 on ")) << refused.message();
  EXPECT_TRUE(refused.message().ends_with("the closest, hopper/59_summit: it needs sm_90 exactly; this is sm_80"))
      << refused.message();
  EXPECT_EQ(refused.message().find('\n'), std::string::npos) << "one line";
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(planned(90, p)->words().id, "hopper/59_summit");
}

TEST(Plan, TakesTheShortestForecast) {
  Problem split = square(Type::f32);
  split.compute = Compute::split;
  Problem tf32 = split;
  tf32.compute = Compute::tf32;
  EXPECT_EQ(planned(90, square(Type::bf16))->words().id, "hopper/59_summit");
  EXPECT_EQ(planned(90, tf32)->words().id, "hopper/59_summit");
  EXPECT_EQ(planned(80, tf32)->words().id, "tensor/39_mma_stream_k");
  EXPECT_EQ(planned(90, split)->words().id, "hopper/61_f16x3");
  EXPECT_EQ(planned(80, split)->words().id, "tensor/40_mma_tf32x3");
  EXPECT_EQ(planned(90, square(Type::f64))->words().id, "tensor/42_mma_f64");
  EXPECT_EQ(planned(80, square(Type::f64))->words().id, "tensor/42_mma_f64");
  EXPECT_EQ(planned(90, square(Type::f32))->words().id, "simt/23_stream_k");
  for (const Rung* rung : ladder_of(runtime::Kind::emu)) {
    if (rung->choose == nullptr || refusal(*rung, tf32, device_of(gpu(90))) != Refusal::none) continue;
    EXPECT_GE(candidate(*rung, tf32, device_of(gpu(90))).choice.forecast.us(),
              planned(90, tf32)->best.choice.forecast.us())
        << rung->id;
  }
}

// No rung with a forecast runs on sm_75: the highest of the others.
TEST(Plan, WithoutAForecastTakesTheHighestRung) {
  const auto plan = planned(75, square(Type::f32, 4096, Op::none));
  ASSERT_NE(plan->best.rung, nullptr);
  EXPECT_EQ(plan->best.rung->choose, nullptr);
  EXPECT_EQ(plan->best.rung->id, "simt/20_double_buffer_k16");
  EXPECT_NE(plan->words().why.find("no rung with a forecast takes it"), std::string::npos) << plan->words().why;
}

// Rows of 8192 bytes are aligned, and pointers may be misaligned. The summit then packs both operands; a rung that
// takes any pointer would be the fallback if its forecast were shorter.
TEST(Plan, HasAFallbackForMisalignedPointers) {
  const auto bf16 = planned(90, square(Type::bf16));
  ASSERT_NE(bf16->fallback.rung, nullptr);
  EXPECT_TRUE(bf16->best.aligned);
  EXPECT_FALSE(bf16->fallback.aligned);
  EXPECT_EQ(bf16->fallback.rung->id, "hopper/59_summit");
  EXPECT_EQ(bf16->best.choice.scratch_bytes, 0u);
  EXPECT_GE(bf16->fallback.choice.scratch_bytes, 4u * 4096 * 4096);
  EXPECT_EQ(bf16->workspace, bf16->fallback.choice.scratch_bytes) << "the most that a call may want";
  EXPECT_GT(bf16->fallback.choice.forecast.us(), bf16->best.choice.forecast.us());
  EXPECT_EQ(planned(90, square(Type::f32))->fallback.rung, nullptr) << "it takes any pointer";
  EXPECT_EQ(planned(80, square(Type::bf16))->fallback.rung, nullptr);

  alignas(16) static std::byte memory[32];
  const auto taken = [](const Plan::Impl& plan, const void* A, const void* B, double alpha = 1) {
    return &candidate_for(plan, {plan.row, alpha, A, B, 0, memory});
  };
  EXPECT_EQ(taken(*bf16, memory, memory), &bf16->best);
  EXPECT_EQ(taken(*bf16, memory + 2, memory), &bf16->fallback);
  EXPECT_EQ(taken(*bf16, memory, memory + 2), &bf16->fallback);
  EXPECT_EQ(taken(*bf16, memory + 2, memory, 0), &bf16->best) << "they are not read";
  EXPECT_NE(bf16->words().why.find("fallback for A or B that does not begin at a multiple of 16 bytes"),
            std::string::npos);
  EXPECT_NE(bf16->words().why.find("which it packs or fetches by threads"), std::string::npos) << bf16->words().why;
}

TEST(Plan, SaysWhatWasWeighed) {
  const auto plan = planned(90, square(Type::bf16));
  const std::string& why = plan->words().why;
  int named = 0;  // the shortest forecasts; the others are counted
  for (int tile = 0; tile < plan->best.rung->tiles; ++tile)
    named += why.find(std::string("\n  ") + plan->best.rung->tile_name(tile).text + ", ") != std::string::npos;
  EXPECT_EQ(named, 8) << why;
  EXPECT_NE(why.find("\n  " + std::to_string(plan->best.rung->tiles - 8) + " others, up to "), std::string::npos)
      << why;
  for (const char* said :
       {"hopper/59_summit: chosen, the shortest forecast", "main loop (tensor cores)", "epilogue", "least energy",
        "no forecast, so used only where no rung with one can be: tensor/31, tensor/34–38, "
        "hopper/51–58 (14 rungs)\n",
        "ruled out:\n  does not take bf16: simt/01–25, tensor/32–33, tensor/40, tensor/42, "
        "hopper/60–61 (31 rungs)\n"})
    EXPECT_NE(why.find(said), std::string::npos) << said << "\n" << why;
  const std::string turing = planned(75, square(Type::f32, 4096, Op::none))->words().why;
  for (const char* said : {"  needs sm_80 or later; this is sm_75: ",
                           "  computes in split, and the problem asks for "
                           "native: tensor/40, hopper/60–61 (3 rungs)\n"})
    EXPECT_NE(turing.find(said), std::string::npos) << said << "\n" << turing;
  EXPECT_EQ(plan->words().tile, plan->best.rung->tile_name(plan->best.choice.tile).text);
}

// What a name means, and what is said of one that means nothing.
TEST(NamedPlan, TakesAnIdOrTheBeginningOfOne) {
  const Ladder ladder = ladder_of(runtime::Kind::emu);
  NamedRung found;
  ASSERT_TRUE(find_rung(ladder, "simt/13", found).ok());
  EXPECT_EQ(found.rung->id, "simt/13_bank_linear");
  EXPECT_EQ(found.tile, kAnyTile);
  ASSERT_TRUE(find_rung(ladder, "simt/02_coalesced", found).ok());
  EXPECT_EQ(found.rung->id, "simt/02_coalesced");
  ASSERT_TRUE(find_rung(ladder, "hopper/59_summit@17", found).ok());
  EXPECT_EQ(found.tile, 17);
}

TEST(NamedPlan, RefusesANameThatMeansNoneOrSeveral) {
  const auto message = [](std::string_view name) {
    NamedRung found;
    const Status s = find_rung(ladder_of(runtime::Kind::emu), name, found);
    EXPECT_EQ(s.code(), Code::invalid_argument) << name;
    EXPECT_EQ(found.rung, nullptr) << name;
    return s.message();
  };
  EXPECT_EQ(message("simt/99"), "rung is 'simt/99'; no rung that multiplies has an id that begins so");
  EXPECT_EQ(message("simt/0").substr(0, 36), "rung is 'simt/0'; it could be simt/0");
  for (const char* name : {"", "@1", "transpose/1", "probe/copy"}) EXPECT_NE(message(name), "");
  for (const char* name : {"simt/18@", "simt/18@-1", "simt/18@x", "simt/18@1x", "simt/18@99"})
    EXPECT_NE(message(name).find("its tiles are 0 to "), std::string::npos) << message(name);
}

TEST(NamedPlan, RefusesAProblemThatTheRungDoesNotTake) {
  std::shared_ptr<const Plan::Impl> plan;
  const Status types = make_named_plan(gpu(90), square(Type::bf16), "simt/13", plan);
  EXPECT_EQ(types.code(), Code::unsupported);
  EXPECT_EQ(types.message(), "simt/13_bank_linear does not take bf16 nt 4096x4096x4096: it takes only f32 into f32");
  Problem invariant = square(Type::bf16);
  invariant.invariant = Invariant::rows;
  EXPECT_EQ(make_named_plan(gpu(90), invariant, "hopper/59", plan).code(), Code::unsupported);
  EXPECT_TRUE(make_named_plan(gpu(90), invariant, "hopper/59@0", plan).ok());
}

TEST(NamedPlan, RunsTheTileThatIsNamedAndElseTheOneThatItsCardChooses) {
  std::shared_ptr<const Plan::Impl> chosen, named, plan;
  ASSERT_TRUE(make_plan(gpu(90), square(Type::bf16), chosen).ok());
  ASSERT_TRUE(make_named_plan(gpu(90), square(Type::bf16), "hopper/59", named).ok());
  EXPECT_EQ(named->best.choice.tile, chosen->best.choice.tile);
  ASSERT_TRUE(make_named_plan(gpu(90), square(Type::bf16), "hopper/59@3", plan).ok());
  EXPECT_EQ(plan->best.choice.tile, 3);
  EXPECT_NE(plan->fallback.rung, nullptr) << "it packs operands that are misaligned";
}

}  // namespace
}  // namespace cairn::dispatch
