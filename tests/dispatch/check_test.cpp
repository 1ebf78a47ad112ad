// Every rule of a call, broken one at a time: the code, and that the message names the argument.
#include "src/dispatch/check.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::dispatch {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Problem good() {
  Problem p = Problem::packed(Type::f32, Op::none, Op::transpose, 4, 5, 6, Order::row, 3);
  p.lda += 2;
  p.stride_a = p.a().major * p.lda;
  return p;
}

struct Broken {
  std::string says;  // how the message must begin
  std::function<void(Problem&)> by;
};

TEST(Check, AcceptsWhatIsLegal) {
  EXPECT_TRUE(check(good()).ok());
  for (const auto& change : std::vector<std::function<void(Problem&)>>{
           [](Problem& p) { p.m = 0, p.pack(); },
           [](Problem& p) { p.k = 0, p.pack(); },
           [](Problem& p) { p.batch = 0; },
           [](Problem& p) { p.stride_a = 0; },
           [](Problem& p) { p.batch = 1, p.stride_c = 0; },
           [](Problem& p) { p.ldc = 15, p.stride_c = 5; },  // three C side by side in one 4 x 15 matrix
           [](Problem& p) { p.compute = Compute::split; },
           [](Problem& p) { p.in = Type::e4m3, p.out = Type::bf16; },
           [](Problem& p) { p.in = Type::e4m3, p.compute = Compute::fast; },
           [](Problem& p) { p.in = Type::f16; },
       }) {
    Problem p = good();
    change(p);
    EXPECT_TRUE(check(p).ok()) << p.full() << ": " << check(p).message();
  }
}

TEST(Check, RefusesEachBrokenRuleNamingTheArgumentAndItsValue) {
  const std::vector<Broken> rules = {
      {"m is -1", [](Problem& p) { p.m = -1; }},
      {"n is -7", [](Problem& p) { p.n = -7; }},
      {"k is -1", [](Problem& p) { p.k = -1; }},
      {"batch is -2", [](Problem& p) { p.batch = -2; }},
      {"lda is 5; it must be at least 6", [](Problem& p) { p.lda = 5; }},
      {"ldb is 5; it must be at least 6", [](Problem& p) { p.ldb = 5; }},  // n x k stored: k, not n
      {"ldc is 4; it must be at least 5", [](Problem& p) { p.ldc = 4; }},
      {"lda is 0; it must be at least 1", [](Problem& p) { p.k = 0, p.lda = 0; }},
      {"stride_a is -1", [](Problem& p) { p.stride_a = -1; }},
      {"stride_b is -1", [](Problem& p) { p.stride_b = -1; }},
      {"stride_c is -1", [](Problem& p) { p.stride_c = -1; }},
      {"stride_c is 0", [](Problem& p) { p.stride_c = 0; }},
      {"stride_c is 19", [](Problem& p) { p.stride_c = 19; }},
      {"stride_c is 5", [](Problem& p) { p.ldc = 14, p.stride_c = 5; }},  // the third would wrap into the next line
      {"out is f16 for f32", [](Problem& p) { p.out = Type::f16; }},
      {"out is f64 for f32", [](Problem& p) { p.out = Type::f64; }},
      {"out is bf16 for f16", [](Problem& p) { p.in = Type::f16, p.out = Type::bf16; }},
      {"compute is tf32 for f64", [](Problem& p) { p.in = p.out = Type::f64, p.compute = Compute::tf32; }},
      {"compute is split for e4m3 inputs; it needs f32",
       [](Problem& p) { p.in = Type::e4m3, p.compute = Compute::split; }},
      {"compute is fast for f32 inputs; it needs e4m3", [](Problem& p) { p.compute = Compute::fast; }},
      {"compute is fast for f16 inputs; it needs e4m3",
       [](Problem& p) { p.in = Type::f16, p.compute = Compute::fast; }},
      {"in is 9; it must be a Type, from 0 to 4", [](Problem& p) { p.in = static_cast<Type>(9); }},
      {"out is 255; it must be a Type", [](Problem& p) { p.out = static_cast<Type>(255); }},
      {"compute is 4; it must be a Compute, from 0 to 3", [](Problem& p) { p.compute = static_cast<Compute>(4); }},
      {"order is 2; it must be an Order, from 0 to 1", [](Problem& p) { p.order = static_cast<Order>(2); }},
      {"op_a is 2; it must be an Op, from 0 to 1", [](Problem& p) { p.op_a = static_cast<Op>(2); }},
      {"op_b is 7; it must be an Op, from 0 to 1", [](Problem& p) { p.op_b = static_cast<Op>(7); }},
      {"invariant is 3; it must be an Invariant, from 0 to 2",
       [](Problem& p) { p.invariant = static_cast<Invariant>(3); }},
      {"bias is 3; it must be a Bias, from 0 to 2", [](Problem& p) { p.bias = static_cast<Bias>(3); }},
      {"bias_type is 5; it must be a Type, from 0 to 4", [](Problem& p) { p.bias_type = static_cast<Type>(5); }},
      {"activation is 5; it must be an Activation, from 0 to 4",
       [](Problem& p) { p.activation = static_cast<Activation>(5); }},
      {"before is 2; it must be a Before, from 0 to 1", [](Problem& p) { p.before = static_cast<Before>(2); }},
      {"bias_type is bf16; it must be f32 or the type of C, f32",
       [](Problem& p) { p.bias = Bias::rows, p.bias_type = Type::bf16; }},
      {"stride_bias is -1", [](Problem& p) { p.bias = Bias::rows, p.stride_bias = -1; }},
      {"bias spans more than", [](Problem& p) { p.bias = Bias::rows, p.stride_bias = kMax / 2; }},
      {"scale_a is 5; it must be a Scale, from 0 to 4", [](Problem& p) { p.scale_a = static_cast<Scale>(5); }},
      {"scale_b is 9; it must be a Scale, from 0 to 4", [](Problem& p) { p.scale_b = static_cast<Scale>(9); }},
      {"scale_a is blocks and scale_b is none; scales in blocks of 128 come for both or for none",
       [](Problem& p) { p.scale_a = Scale::blocks; }},
      {"scale_a is vector_blocks; blocks of 128 need e4m3 inputs and native compute",
       [](Problem& p) { p.scale_a = Scale::vector_blocks, p.scale_b = Scale::blocks; }},
      {"scale_a is blocks; blocks of 128 need e4m3 inputs and native compute",
       [](Problem& p) {
         p.in = Type::e4m3, p.compute = Compute::fast;
         p.scale_a = p.scale_b = Scale::blocks;
       }},
      {"stride_scale_b is -1", [](Problem& p) { p.scale_b = Scale::tensor, p.stride_scale_b = -1; }},
      {"scale_b spans more than", [](Problem& p) { p.scale_b = Scale::vector, p.stride_scale_b = kMax / 2; }},
      {"groups is -1", [](Problem& p) { p.groups = -1; }},
      {"order is column; with groups, of which there are 2, it must be row",
       [](Problem& p) { p.groups = 2, p.order = Order::column, p.pack(); }},
      {"batch is 3; with groups, of which there are 2, it must be 1", [](Problem& p) { p.groups = 2; }},
      {"invariant is rows; with groups, of which there are 2, it must be none",
       [](Problem& p) { p.groups = 2, p.batch = 1, p.invariant = Invariant::rows; }},
      {"scale_a is blocks; with groups, of which there are 2, it must be another",
       [](Problem& p) {
         p.in = Type::e4m3, p.groups = 2, p.batch = 1;
         p.scale_a = p.scale_b = Scale::blocks;
       }},
      {"B spans more than", [](Problem& p) { p.groups = 8, p.batch = 1, p.stride_b = kMax / 8; }},
      {"before is stored, but activation is none", [](Problem& p) { p.before = Before::stored; }},
      {"A spans more than", [](Problem& p) { p.lda = kMax / 3; }},
      {"B spans more than", [](Problem& p) { p.stride_b = kMax / 4; }},
      {"C spans more than",
       [](Problem& p) {
         p.batch = kMax / 8;
         p.stride_a = p.stride_b = 0;
       }},
      // In elements this fits 64 bits; in bytes it does not.
      {"A spans more than", [](Problem& p) { p.batch = 1, p.lda = kMax / 8, p.m = 5, p.pack(), p.lda = kMax / 8; }},
  };
  for (const auto& rule : rules) {
    Problem p = good();
    rule.by(p);
    const Status s = check(p);
    EXPECT_EQ(s.code(), Code::invalid_argument) << rule.says << " | " << p.full();
    EXPECT_EQ(s.message().rfind(rule.says, 0), 0u) << rule.says << " | " << s.message();
  }
}

TEST(Check, PointersAreNeededExactlyWhereTheyAreUsed) {
  alignas(16) float memory[16] = {};
  Call call{Problem::packed(Type::f32, Op::none, Op::none, 2, 2, 2), 1, memory, memory, 0, memory + 8};
  EXPECT_TRUE(check_pointers(call).ok());

  Call c = call;
  c.A = nullptr;
  EXPECT_EQ(check_pointers(c).message().rfind("A is null", 0), 0u);
  c.alpha = 0;
  EXPECT_TRUE(check_pointers(c).ok());
  c = call, c.B = nullptr;
  EXPECT_EQ(check_pointers(c).message().rfind("B is null", 0), 0u);
  c.problem.k = 0;
  EXPECT_TRUE(check_pointers(c).ok());
  c = call, c.C = nullptr;
  EXPECT_EQ(check_pointers(c).message().rfind("C is null", 0), 0u);
  c.problem.n = 0;
  EXPECT_TRUE(check_pointers(c).ok());

  c = call, c.B = reinterpret_cast<const char*>(memory) + 2;
  EXPECT_EQ(check_pointers(c).message().rfind("B is not aligned", 0), 0u);
  c.problem.in = c.problem.out = Type::f16;
  EXPECT_TRUE(check_pointers(c).ok());
}

}  // namespace
}  // namespace cairn::dispatch
