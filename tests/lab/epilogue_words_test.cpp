#include <string>

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

}  // namespace
}  // namespace cairn::lab
