// Problem as text: what it prints, that both forms parse back, and that bad text is refused by name.
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "cairn/types.hpp"
#include "lab/random.hpp"

namespace cairn {
namespace {

Problem parsed(const std::string& text) {
  Problem p;
  const Status s = parse(text, p);
  EXPECT_TRUE(s.ok()) << text << ": " << s.message();
  return p;
}

std::string refusal(const std::string& text) {
  Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 1, 2, 3);
  const Problem before = p;
  const Status s = parse(text, p);
  EXPECT_EQ(s.code(), Code::invalid_argument) << text;
  EXPECT_EQ(p, before) << text << ": a refused text must leave the problem alone";
  EXPECT_EQ(s.message().find('\n'), std::string::npos);
  return s.message();
}

// Any problem at all: sizes and strides of every magnitude, legal or not; parsing does not check them.
Problem anything(lab::Random& random) {
  const auto number = [&] {
    const int bits = static_cast<int>(random.integer(0, 63));
    const auto value = static_cast<std::int64_t>(random.bits() >> 1 >> bits);
    return random.chance(10) ? -value : value;
  };
  Problem p;
  p.in = static_cast<Type>(random.integer(0, 4));
  p.out = random.chance(50) ? p.in : static_cast<Type>(random.integer(0, 4));
  p.compute = static_cast<Compute>(random.integer(0, 3));
  p.order = static_cast<Order>(random.integer(0, 1));
  p.op_a = static_cast<Op>(random.integer(0, 1));
  p.op_b = static_cast<Op>(random.integer(0, 1));
  p.invariant = static_cast<Invariant>(random.integer(0, 2));
  p.bias = static_cast<Bias>(random.integer(0, 2));
  p.bias_type = static_cast<Type>(random.integer(0, 4));
  p.stride_bias = random.integer(0, 9);
  p.activation = static_cast<Activation>(random.integer(0, 4));
  p.before = static_cast<Before>(random.integer(0, 1));
  p.scale_a = static_cast<Scale>(random.integer(0, 4)), p.scale_b = static_cast<Scale>(random.integer(0, 4));
  p.stride_scale_a = random.integer(0, 9), p.stride_scale_b = random.integer(0, 9);
  p.groups = random.integer(0, 3);
  p.m = number(), p.n = number(), p.k = number();
  p.batch = random.chance(50) ? 1 : number();
  if (random.chance(50)) p.pack();
  if (random.chance(50)) p.lda = number();
  if (random.chance(50)) p.ldb = number();
  if (random.chance(50)) p.ldc = number();
  if (random.chance(50)) p.stride_a = number(), p.stride_b = number(), p.stride_c = number();
  return p;
}

TEST(ProblemText, ShortFormIsWhatPeopleWrite) {
  EXPECT_EQ(Problem::packed(Type::bf16, Op::none, Op::transpose, 4096, 4096, 4096).brief(), "bf16 nt 4096x4096x4096");
  Problem p = Problem::packed(Type::f32, Op::transpose, Op::none, 1, 2, 3);
  p.compute = Compute::tf32;
  EXPECT_EQ(p.brief(), "tf32 tn 1x2x3");
  p.compute = Compute::split;
  EXPECT_EQ(p.brief(), "split tn 1x2x3");
  Problem q = Problem::packed(Type::e4m3, Op::none, Op::none, 8, 8, 8, Order::column, 4);
  q.out = Type::bf16;
  q.lda = 20;
  q.stride_a = 160;  // 8 columns of 20, end to end: a stride that follows from lda is left out
  EXPECT_EQ(q.brief(), "e4m3:bf16 nn 8x8x8 order=column lda=20 batch=4");
  q.compute = Compute::fast;
  EXPECT_EQ(q.brief(), "e4m3fast:bf16 nn 8x8x8 order=column lda=20 batch=4");
  q.invariant = Invariant::rows;
  EXPECT_EQ(q.brief(), "e4m3fast:bf16 nn 8x8x8 order=column lda=20 batch=4 invariant=rows");
  q.bias = Bias::columns, q.bias_type = Type::bf16, q.activation = Activation::gelu, q.before = Before::stored;
  EXPECT_EQ(q.brief(),
            "e4m3fast:bf16 nn 8x8x8 order=column lda=20 batch=4 invariant=rows bias=columns bias_type=bf16 "
            "activation=gelu before=stored");
  EXPECT_EQ(parsed("e4m3:bf16 nt 8x8x256 scale_a=vector_blocks scale_b=blocks").brief(),
            "e4m3:bf16 nt 8x8x256 scale_a=vector_blocks scale_b=blocks");
}

// A compute mode has a type name of its own only with the storage type it is for; with others it is printed as a key.
TEST(ProblemText, AModeIsAWordForItsTypeAndACompute) {
  Problem p = parsed("e4m3fast nt 8x8x32");
  EXPECT_EQ(p.in, Type::e4m3);
  EXPECT_EQ(p.out, Type::e4m3);
  EXPECT_EQ(p.compute, Compute::fast);
  EXPECT_EQ(parsed("e4m3fast:f32 8").out, Type::f32);
  EXPECT_EQ(parsed("e4m3 compute=fast nt 8x8x32"), p);
  p.compute = Compute::tf32;
  EXPECT_EQ(p.brief(), "e4m3 nt 8x8x32 compute=tf32");
  p.in = p.out = Type::f32, p.compute = Compute::fast;
  EXPECT_EQ(p.brief(), "f32 nt 8x8x32 compute=fast");
  EXPECT_EQ(name(Compute::fast), "fast");
  Problem ignored;
  for (const char* wrong : {"e4m3fast compute=native 8", "fast 8", "bf16fast 8", "e4m3fast:e4m3fast 8"})
    EXPECT_FALSE(parse(wrong, ignored).ok()) << wrong;
}

TEST(ProblemText, FullFormNamesEveryField) {
  EXPECT_EQ(Problem::packed(Type::f16, Op::none, Op::transpose, 2, 3, 4).full(),
            "in=f16 out=f16 compute=native order=row op_a=n op_b=t m=2 n=3 k=4 lda=4 ldb=4 ldc=3 batch=1 "
            "stride_a=8 stride_b=12 stride_c=6 invariant=none bias=none bias_type=f32 stride_bias=0 "
            "activation=none before=none scale_a=none scale_b=none stride_scale_a=0 stride_scale_b=0 groups=0");
}

TEST(ProblemText, FullFormOfAnyProblemParsesBackToIt) {
  lab::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Problem p = anything(random);
    ASSERT_EQ(parsed(p.full()), p) << p.full();
  }
}

TEST(ProblemText, ShortFormOfAnyProblemParsesBackToIt) {
  lab::Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const Problem p = anything(random);
    Problem back = parsed(p.brief());
    if (p.batch == 1) {  // strides of a single product have no meaning and are not printed
      back.stride_a = p.stride_a, back.stride_b = p.stride_b, back.stride_c = p.stride_c;
    }
    ASSERT_EQ(back, p) << p.brief() << " | " << p.full();
    ASSERT_EQ(parsed(p.brief()).brief(), p.brief());
  }
}

TEST(ProblemText, WordsComeInAnyOrderAndDefaultsArePackedRowMajorF32) {
  EXPECT_EQ(parsed("64"), Problem::packed(Type::f32, Op::none, Op::none, 64, 64, 64));
  EXPECT_EQ(parsed("1x2x3 nt bf16"), parsed("  bf16\tnt 1x2x3\n"));
  EXPECT_EQ(parsed("cn 4x5x6"), parsed("tn 4x5x6"));
  EXPECT_EQ(parsed("4x5x6 column"), Problem::packed(Type::f32, Op::none, Op::none, 4, 5, 6, Order::column));
  EXPECT_EQ(parsed("m=4 n=5 k=6"), parsed("4x5x6"));
  EXPECT_EQ(parsed("9223372036854775807x0x1").m, std::numeric_limits<std::int64_t>::max());
}

TEST(ProblemText, BadTextIsRefusedNamingTheWordAndTheRule) {
  EXPECT_NE(refusal("").find("no shape"), std::string::npos);
  EXPECT_NE(refusal("f32 nn").find("no shape"), std::string::npos);
  EXPECT_NE(refusal("f33 nn 1x1x1").find("'f33'"), std::string::npos);
  EXPECT_NE(refusal("f32 nx 1x1x1").find("'nx'"), std::string::npos);
  EXPECT_NE(refusal("1x1").find("MxNxK"), std::string::npos);
  EXPECT_NE(refusal("1x1x").find("k: '' is not an integer"), std::string::npos);
  EXPECT_NE(refusal("1x1x1x1").find("k: '1x1'"), std::string::npos);
  EXPECT_NE(refusal("1x1x9223372036854775808").find("64 bits"), std::string::npos);
  EXPECT_NE(refusal("1x1x1 lda=2 lda=3").find("lda is given twice"), std::string::npos);
  EXPECT_NE(refusal("1x1x1 2x2x2").find("twice"), std::string::npos);
  EXPECT_NE(refusal("1x1x1 ldx=2").find("'ldx' is not a key"), std::string::npos);
  EXPECT_NE(refusal("1x1x1 order=diagonal").find("row column"), std::string::npos);
  EXPECT_NE(refusal("e4m3:f99 1x1x1").find("'f99'"), std::string::npos);
  EXPECT_NE(refusal("1x1x1 =").find("'' is not a key"), std::string::npos);
}

TEST(ProblemText, PackingOverflowSaturatesInsteadOfWrapping) {
  const std::int64_t big = std::numeric_limits<std::int64_t>::max() / 2;
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, big, big, big);
  EXPECT_EQ(p.stride_c, std::numeric_limits<std::int64_t>::max());
}

TEST(ProblemLayout, StoredShapesFollowOrderAndOp) {
  const Problem row = Problem::packed(Type::f32, Op::none, Op::transpose, 2, 3, 5);
  EXPECT_EQ(row.a(), (Stored{2, 5, 5}));
  EXPECT_EQ(row.b(), (Stored{3, 5, 5}));  // n x k: ldb is k, not n
  EXPECT_EQ(row.c(), (Stored{2, 3, 3}));
  const Problem column = Problem::packed(Type::f32, Op::none, Op::transpose, 2, 3, 5, Order::column);
  EXPECT_EQ(column.a(), (Stored{5, 2, 2}));
  EXPECT_EQ(column.b(), (Stored{5, 3, 3}));
  EXPECT_EQ(column.c(), (Stored{3, 2, 2}));
  EXPECT_EQ((Stored{3, 4, 10}.span()), 24);  // the last line's padding is not part of the matrix
}

}  // namespace
}  // namespace cairn
