// `cairn run --compare` and `--checksum` from outside.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/lab/program_support.hpp"

namespace cairn::testing {
namespace {

using Json = nlohmann::json;

std::string quoted(const std::string& word) { return "'" + word + "'"; }

// twins.cu, compiled once for all tests.
class Twins : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    if (IsSkipped() || std::filesystem::exists(program())) return;
    const Ran made = in_folder("cairn-nvcc twins.cu -o " + program());
    ASSERT_EQ(made.code, 0) << made.err;
  }

  static std::string program() { return (scratch() / "twins").string(); }

  static Ran compare(const std::string& kernels, const std::string& what, const std::string& flags = "") {
    return run_cairn("run " + program() + " --compare " + quoted(kernels) + " " + flags + " -- " + quoted(what));
  }
  static std::string csv(const std::string& flags) {
    std::string text = run_cairn("run " + program() + " --format csv " + flags).out;
    std::erase(text, '\r');
    return text;
  }
  // The rows of the comparison.
  static Json rows(const std::string& kernels, const std::string& what, const std::string& flags = "") {
    const std::string file = (scratch() / "record.json").string();
    const Ran ran = compare(kernels, what, flags + " --force --record " + file);
    const Ran shown = run_shell("cat " + file);
    EXPECT_EQ(shown.code, 0) << ran.out << ran.err;
    return Json::parse(shown.out).at("comparison");
  }
};

TEST_F(Twins, EqualKernelsAreEqual) {
  const Ran ran = compare("reference,staged<true>", "tail");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "The detectors found nothing.")) << ran.out;
  const Json all = rows("reference,staged", "tail");
  ASSERT_EQ(all.size(), 1u) << all;
  EXPECT_EQ(all[0]["verdict"], "equal");
  EXPECT_EQ(all[0]["second_kernel"], "staged<true>");
  EXPECT_EQ(all[0]["type"], "f32");
  EXPECT_EQ(all[0]["elements"], 576);
  EXPECT_EQ(all[0]["first_allocation"], 4);
  EXPECT_EQ(all[0]["second_allocation"], 3);
  EXPECT_EQ(all[0]["again"], false) << "the data are the same, and what the first wrote is not read by the second";
}

TEST_F(Twins, AStageThatIsReadAgainIsFoundThoughTheDetectorsAreSilent) {
  const Ran ran = compare("reference,staged", "no tail");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "The detectors found nothing.")) << ran.out;
  EXPECT_TRUE(has(ran.out, "DIFFERENT launch 1 (reference) and launch 2 (staged<false>): element ")) << ran.out;
  const Json row = rows("reference,staged", "no tail").at(0);
  EXPECT_EQ(row["verdict"], "differs");
  EXPECT_GT(row["relative_error"].get<double>(), 0.1);
  EXPECT_GT(row["differing"].get<int>(), 500);
  const double apart = std::abs(row["first_value"].get<double>() - row["second_value"].get<double>());
  EXPECT_DOUBLE_EQ(apart, row["error"].get<double>());
}

TEST_F(Twins, TheOtherOrderOfASumIsWithinTheTolerance) {
  const Json row = rows("reference,backward", "backward").at(0);
  EXPECT_EQ(row["verdict"], "agrees");
  EXPECT_GT(row["differing"].get<int>(), 0);
  EXPECT_EQ(compare("reference,backward", "backward").code, 0);
  EXPECT_EQ(compare("reference,backward", "backward", "--tolerance 0").code, 1);
  EXPECT_EQ(compare("reference,backward", "backward", "--compare-type bytes").code, 1);
  EXPECT_EQ(compare("reference,staged", "no tail", "--tolerance 10").code, 0);
}

// C holds what the first kernel wrote, twice over, so that its values alone tell nothing.
TEST_F(Twins, WhatTheSecondLeavesUnwrittenIsADifference) {
  const Ran ran = compare("reference,unfinished", "unfinished");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "the second left 24 elements unwritten that the first wrote, such as 552")) << ran.out;
}

TEST_F(Twins, EveryLaunchIsComparedWithTheLastOneOfTheOtherKernel) {
  const Json all = rows("reference,staged", "rounds");
  ASSERT_EQ(all.size(), 3u) << all;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i]["first_launch"], 2 * i + 2);
    EXPECT_EQ(all[i]["second_launch"], 2 * i + 3);
    EXPECT_EQ(all[i]["verdict"], "equal");
  }
  const Json itself = rows("reference,reference", "rounds");
  ASSERT_EQ(itself.size(), 3u) << itself;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(itself[i]["second_launch"], 2 * i + 2);
    EXPECT_EQ(itself[i]["verdict"], "equal") << "another A, but compared on the same: " << itself;
    EXPECT_EQ(itself[i]["again"], true);
  }
}

// The second adds to what the first left and finds another A: it is run again on C and A as the first found them.
TEST_F(Twins, KernelsInPlaceAreComparedOnTheDataOfTheFirst) {
  const Ran ran = compare("add,add_backward", "in place");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "1 of 1 launches of add_backward found other data than mine::add<float> had")) << ran.out;
  const Json row = rows("mine::add<float>, add_backward", "in place").at(0);
  EXPECT_EQ(row["again"], true);
  EXPECT_EQ(row["verdict"], "agrees");
}

TEST_F(Twins, TheProgramGoesOnAsIfNothingHadBeenCompared) {
  const Ran plain = run_shell(program() + " 'in place'");
  EXPECT_TRUE(plain.out.ends_with(" 2\n")) << "two launches count themselves: " << plain.out;
  const Ran ran = compare("add,add_backward", "in place");
  EXPECT_TRUE(ran.out.starts_with(plain.out)) << plain.out << ran.out;
  // Nor does a run more count.
  const auto kernels = [](const std::string& flags) {
    const Ran counted = run_cairn("run " + program() + " --count --format json " + flags + " -- 'in place'");
    return Json::parse(counted.out.substr(counted.out.find('{'))).at("kernels");
  };
  EXPECT_EQ(kernels(""), kernels("--compare add,add_backward"));
}

TEST_F(Twins, TheTypeIsThatOfThePointersByWhichKernelsWrite) {
  const Json row = rows("half_forward,half_of_halves", "half").at(0);
  EXPECT_EQ(row["type"], "f16");
  EXPECT_EQ(row["elements"], 576);
  EXPECT_EQ(row["verdict"], "agrees");
  EXPECT_EQ(rows("half_forward,half_of_halves", "half", "--compare-type i32").at(0)["elements"], 288);
}

TEST_F(Twins, WhatHasNoLikeIsNotCompared) {
  const Ran ran = compare("reference,half_forward", "half");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out,
                  "what they wrote cannot be matched: the first wrote allocation 4 (2304 bytes), the second "
                  "allocation 5 (1152 bytes)"))
      << ran.out;
}

TEST_F(Twins, CountersOfBothStandSideBySide) {
  const Ran ran = compare("reference,staged", "tail");
  EXPECT_TRUE(has(ran.out, "second / first")) << ran.out;
  EXPECT_TRUE(has(ran.out, "0.12")) << "an eighth of the loads: " << ran.out;
}

TEST_F(Twins, NamesThatAreNoKernelsAreToldWithThoseThatAre) {
  const auto complaint = [](const Ran& ran) {
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    return ran.err;
  };
  EXPECT_EQ(complaint(compare("reference,other", "tail")),
            "cairn: --compare: the program launched no kernel 'other'; it launched reference, staged<true>\n");
  EXPECT_EQ(complaint(compare("reference,backward", "tail")),
            "cairn: --compare: the program launched no kernel 'backward'; it launched reference, staged<true>\n");
  EXPECT_TRUE(has(complaint(compare("reference,staged", "both")),
                  "'staged' could be staged<true> or staged<false>; write more of the name"));
  EXPECT_TRUE(has(complaint(compare("staged,reference", "tail")), "reference was not launched after a launch of"));
  EXPECT_TRUE(has(complaint(compare("reference", "tail")), "--compare 'reference': two kernels"));
  EXPECT_TRUE(has(complaint(compare("a,b,c", "tail")), "two kernels"));
  EXPECT_TRUE(has(complaint(compare("reference,staged", "tail", "--compare-type f31")),
                  "--compare-type 'f31': types are bytes, i8"));
  EXPECT_TRUE(has(complaint(run_cairn("run " + program() + " --count --tolerance 1")), "are for --compare"));
}

TEST_F(Twins, ChecksumsAreThoseOfTheContents) {
  const auto sums = [](const std::string& what, int seed) {
    return csv("--checksum --seed " + std::to_string(seed) + " -- " + quoted(what));
  };
  const std::string right = sums("tail", 1);
  EXPECT_TRUE(
      has(right, "launch,kernel,grid,block,allocation,bytes,changed,checksum\n1,reference,3x3x1,8x8x1,4,2304,"))
      << right;
  EXPECT_TRUE(has(right, "\n2,staged<true>,3x3x1,8x8x1,3,2304,")) << right;
  EXPECT_EQ(right, sums("tail", 1));
  EXPECT_EQ(right, sums("tail", 7));
  const auto sum_of = [](const std::string& csv, int launch) {
    const std::size_t at = csv.find("\n" + std::to_string(launch) + ",");
    const std::string line = csv.substr(at + 1, csv.find('\n', at + 1) - at - 1);
    return line.substr(line.rfind(',') + 1);
  };
  EXPECT_EQ(sum_of(right, 1).size(), 16u) << right;
  EXPECT_EQ(sum_of(right, 1), sum_of(right, 2)) << "equal contents in another allocation\n" << right;
  const std::string wrong = sums("no tail", 1);
  EXPECT_EQ(sum_of(right, 1), sum_of(wrong, 1));
  EXPECT_NE(sum_of(right, 2), sum_of(wrong, 2));
}

TEST_F(Twins, ALaunchThatChangesNothingHasARow) {
  const std::string all = csv("--checksum -- unfinished");
  EXPECT_TRUE(has(all, "\n4,reference,3x3x1,8x8x1,,,0,\n")) << all;
}

}  // namespace
}  // namespace cairn::testing
