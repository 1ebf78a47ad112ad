#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lab/epilogue.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

Problem with(const std::string& words, Type in = Type::bf16) {
  Problem p = Problem::packed(in, Op::none, Op::none, 4, 5, 6);
  set_epilogue(words, p);
  return p;
}

TEST(EpilogueWords, NameABiasAnActivationAndItsArgument) {
  const Problem p = with("bias+gelu");
  EXPECT_EQ(p.bias, Bias::columns);
  EXPECT_EQ(p.bias_type, Type::bf16);
  EXPECT_EQ(p.activation, Activation::gelu);
  EXPECT_EQ(p.before, Before::none);
  const Problem all = with("before+silu+row_bias:f32");
  EXPECT_EQ(all.bias, Bias::rows);
  EXPECT_EQ(all.bias_type, Type::f32);
  EXPECT_EQ(all.activation, Activation::silu);
  EXPECT_EQ(all.before, Before::stored);
  EXPECT_EQ(with("bias:f32", Type::f64).bias_type, Type::f64);  // the accumulator's
  EXPECT_EQ(with("gelu_tanh").activation, Activation::gelu_tanh);
}

TEST(EpilogueWords, NoneIsAProductAlone) {
  Problem p = with("bias+relu");
  set_epilogue("none", p);
  EXPECT_EQ(p, Problem::packed(Type::bf16, Op::none, Op::none, 4, 5, 6));
}

TEST(EpilogueWords, SayWhatIsWrong) {
  const auto refusal = [](const std::string& words) -> std::string {
    try {
      (void)with(words);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_NE(refusal("bias+sigmoid").find("'sigmoid' is none of bias, row_bias, relu"), std::string::npos);
  EXPECT_NE(refusal("relu+gelu").find("there is one activation"), std::string::npos);
  EXPECT_NE(refusal("bias+row_bias").find("there is one bias"), std::string::npos);
  EXPECT_NE(refusal("relu+none").find("none stands alone"), std::string::npos);
  EXPECT_NE(refusal("none+relu").find("none stands alone"), std::string::npos);
  EXPECT_NE(refusal("").find("'' is none of"), std::string::npos);
  EXPECT_NE(refusal("relu:f32").find("'relu:f32' is none of"), std::string::npos);
}

TEST(ScaleWords, NameOneForBothOrOneForEach) {
  const auto scaled = [](const std::string& words) {
    Problem p = Problem::packed(Type::e4m3, Op::none, Op::transpose, 4, 5, 6);
    set_scales(words, p);
    return std::pair(p.scale_a, p.scale_b);
  };
  EXPECT_EQ(scaled("none"), std::pair(Scale::none, Scale::none));
  EXPECT_EQ(scaled("vector"), std::pair(Scale::vector, Scale::vector));
  EXPECT_EQ(scaled("tensor:vector"), std::pair(Scale::tensor, Scale::vector));
  EXPECT_EQ(scaled("blocks"), std::pair(Scale::vector_blocks, Scale::blocks));
  EXPECT_EQ(scaled("blocks:blocks"), std::pair(Scale::blocks, Scale::blocks));
  EXPECT_EQ(scaled("vector_blocks"), std::pair(Scale::vector_blocks, Scale::vector_blocks));
}

TEST(ScaleWords, SayWhatIsWrong) {
  const auto refusal = [](const std::string& words, Type in) -> std::string {
    Problem p = Problem::packed(in, Op::none, Op::none, 4, 5, 6);
    try {
      set_scales(words, p);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_NE(refusal("rows", Type::bf16).find("'rows' is none of none, tensor, vector"), std::string::npos);
  EXPECT_NE(refusal("tensor:", Type::bf16).find("'' is none of"), std::string::npos);
  EXPECT_NE(
      refusal("blocks", Type::bf16).find("--scales 'blocks': scale_a is vector_blocks; blocks of 128 need e4m3"),
      std::string::npos);
  EXPECT_NE(refusal("blocks:vector", Type::e4m3).find("come for both or for none"), std::string::npos);
}

TEST(ScaleWords, CombineWithEpilogues) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 4, 5, 6);
  EXPECT_EQ(each_epilogue({}, {}, p), std::vector{p});
  const auto all = each_epilogue({"relu", "gelu"}, {"tensor", "vector"}, p);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[2].activation, Activation::gelu);
  EXPECT_EQ(all[2].scale_b, Scale::tensor);
}

}  // namespace
}  // namespace cairn::lab
