// The plain arithmetic of kernels/rung.hpp: what a kernel is given, and how a tall matrix is split.
#include "kernels/rung.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Seen {
  std::int64_t m, a, c;  // rows, and how far A and C have moved on
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> slabs(const Problem& p, std::int64_t block_rows, std::int64_t most_blocks) {
  const std::vector<float> A(1000);
  std::vector<float> C(1000);
  const GemmArgs<float> all(RungArgs{p, 1, A.data(), A.data(), 0, C.data()});
  std::vector<Seen> seen;
  const auto look = [&](const GemmArgs<float>& g) -> Status {
    seen.push_back({g.m, g.A - A.data(), g.C - C.data()});
    return {};
  };
  EXPECT_TRUE(in_slabs(all, block_rows, look, most_blocks).ok());
  return seen;
}

TEST(Slabs, CoverEveryRowOnce) {
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 10, 3, 5);
  p.lda = 6, p.ldc = 4;
  EXPECT_EQ(slabs(p, 2, 2), (std::vector<Seen>{{4, 0, 0}, {4, 24, 16}, {2, 48, 32}}));
  EXPECT_EQ(slabs(p, 2, 5), (std::vector<Seen>{{10, 0, 0}}));
  p.op_a = Op::transpose, p.lda = 10;  // A is stored k x m: a row of op(A) further is one element further
  EXPECT_EQ(slabs(p, 2, 2), (std::vector<Seen>{{4, 0, 0}, {4, 4, 16}, {2, 8, 32}}));
}

TEST(Slabs, StopAtTheFirstError) {
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 10, 3, 5);
  int calls = 0;
  const auto fail = [&](const GemmArgs<float>&) {
    ++calls;
    return Status{Code::device_error, "planted"};
  };
  const GemmArgs<float> all(RungArgs{p, 0, nullptr, nullptr, 0, nullptr});
  EXPECT_EQ(in_slabs(all, 1, fail, 2).message(), "planted");
  EXPECT_EQ(calls, 1);
}

TEST(Slabs, OfATransposeAreColumnsOfC) {
  Problem p = Problem::packed(Type::f32, Op::transpose, Op::none, 3, 10, 10);  // A is 10 x 3
  p.lda = 5, p.ldc = 12;
  const std::vector<float> A(100);
  std::vector<float> C(100);
  const auto part = TransposeArgs<float>(RungArgs{p, 1, A.data(), nullptr, 0, C.data()}).slab(4, 2);
  EXPECT_EQ(part.height, 2);
  EXPECT_EQ(part.width, 3);
  EXPECT_EQ(part.A - A.data(), 20);
  EXPECT_EQ(part.C - C.data(), 4);
}

TEST(GemmArgs, HaveNoProductWhereAlphaOrKIsZero) {
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4);
  const Problem none = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 0);
  for (const auto& g : {GemmArgs<float>(RungArgs{p, 0, nullptr, nullptr, kNan, nullptr}),
                        GemmArgs<float>(RungArgs{p, 1e-60, nullptr, nullptr, kNan, nullptr}),  // 0 as an f32
                        GemmArgs<float>(RungArgs{none, kNan, nullptr, nullptr, kNan, nullptr})}) {
    EXPECT_EQ(g.k, 0);
    EXPECT_EQ(g.alpha, 0);
    EXPECT_EQ(g.slab(2, 2).A, nullptr);
  }
}

TEST(GemmArgs, AreIdleWhereCKeepsItsBits) {
  const auto idle = [](Problem p, double alpha, double beta) {
    return GemmArgs<float>(RungArgs{p, alpha, nullptr, nullptr, beta, nullptr}).idle();
  };
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4);
  EXPECT_TRUE(idle(p, 0, 1));
  EXPECT_FALSE(idle(p, 0, 0));
  EXPECT_FALSE(idle(p, 1, 1));
  EXPECT_FALSE(idle(p, kNan, 1));
  EXPECT_TRUE(idle(Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 0), kNan, 1));
  EXPECT_TRUE(idle(Problem::packed(Type::f32, Op::none, Op::none, 0, 4, 4), 1, 0));
  EXPECT_TRUE(idle(Problem::packed(Type::f32, Op::none, Op::none, 4, 0, 4), 1, 0));
}

}  // namespace
}  // namespace cairn
