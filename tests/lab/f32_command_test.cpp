// CAIRN_F32 as the command tells it: in `cairn info`, and in the plans that it asks for.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

Ran run_with(const std::string& variable, const std::string& arguments) {
  return run_shell("env -u CAIRN_F32 " + variable + " cairn " + arguments);
}

TEST(F32Command, InfoSaysWhatHandlesBeginWith) {
  for (const char* variable : {"", "CAIRN_F32=", "CAIRN_F32=native"}) {
    const Ran ran = run_with(variable, "info");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, "\nf32 is IEEE f32; with CAIRN_F32=split ")) << ran.out;
    EXPECT_EQ(nlohmann::json::parse(run_with(variable, "info --format json").out)["f32"], "native");
  }
  const Ran ran = run_with("CAIRN_F32=split", "info");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "\nf32 is computed as split on GPUs and on the emulator, as CAIRN_F32 asks; ")) << ran.out;
  EXPECT_EQ(nlohmann::json::parse(run_with("CAIRN_F32=split", "info --format json").out)["f32"], "split");
}

// A report of a bug needs the rest of it all the same.
TEST(F32Command, InfoToldOfAWrongValueNamesItAndTheRightOnes) {
  const std::string sentence = "CAIRN_F32 is 'fast'; it must be native or split";
  const Ran ran = run_with("CAIRN_F32=fast", "info");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "\n" + sentence + ", and until then no handle can be opened\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "hardware threads")) << ran.out;
  EXPECT_EQ(nlohmann::json::parse(run_with("CAIRN_F32=fast", "info --format json").out)["f32"], sentence);
}

TEST(F32Command, PlansAreThoseOfAHandleThatIsOpenedNow) {
  const std::string plan = "plan --type f32 --shape 251 --device emu";
  const Ran plain = run_with("", plan), split = run_with("CAIRN_F32=split", plan);
  ASSERT_EQ(plain.code, 0) << plain.err;
  ASSERT_EQ(split.code, 0) << split.err;
  EXPECT_FALSE(has(plain.out, "CAIRN_F32")) << plain.out;
  EXPECT_TRUE(split.out.starts_with("f32 nn 251x251x251 on ")) << split.out;
  EXPECT_TRUE(has(split.out, "\nf32 is computed as split, as CAIRN_F32 asks\n")) << split.out;
  const auto id = [](const Ran& ran) { return nlohmann::json::parse(ran.out)[0]["id"].get<std::string>(); };
  EXPECT_EQ(id(run_with("CAIRN_F32=split", plan + " --format json")),
            id(run_with("", "plan --type split --shape 251 --device emu --format json")));
  EXPECT_EQ(run_with("CAIRN_F32=split", "plan --type tf32 --device emu").out,
            run_with("", "plan --type tf32 --device emu").out);
  EXPECT_TRUE(has(run_with("CAIRN_F32=split", "plan --type f32 --device cpu").out,
                  "\nf32 stays IEEE f32, though CAIRN_F32 asks for split: the CPU "));

  const Ran wrong = run_with("CAIRN_F32=fast", plan);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, "cairn: CAIRN_F32 is 'fast'; it must be native or split\n");
}

// The rule beforehand, and afterwards which way the data went.
TEST(SplitCommand, PlanStatesTheRuleAndVerifyTheWayTaken) {
  const Ran plan = run_with("", "plan --type split --shape 4096 --device emu --sms 132");
  EXPECT_TRUE(has(plan.out, "\n  the data decide: three products of f16 planes if at most 16 rows ")) << plan.out;
  const Ran rung = run_with("", "verify hopper/61 --type split --device emu --fuzz 24 --shape 70x40x90");
  EXPECT_EQ(rung.code, 0) << rung.err;
  EXPECT_TRUE(has(rung.out, "hopper/61_f16x3: ") && has(rung.out, " cases by f16 planes")) << rung.out;
  EXPECT_TRUE(has(rung.out, " cases by bf16 planes")) << rung.out;
  const Ran always = run_with("", "verify hopper/60 --type split --device emu --fuzz 8 --shape 70x40x90");
  EXPECT_FALSE(has(always.out, " cases by f16 planes")) << always.out;
  EXPECT_TRUE(has(always.out, " cases by bf16 planes")) << always.out;
  const Ran other = run_with("", "verify simt/22 --type split --device emu --fuzz 2 --shape 70x40x90");
  EXPECT_FALSE(has(other.out, " cases by ")) << other.out;
}

}  // namespace
}  // namespace cairn::testing
