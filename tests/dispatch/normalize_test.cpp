// Layouts against numbers worked out by hand.
//
// The product is fixed:            [1 2 3]         [ 7  8]                [ 58  64]
//                             X =  [4 5 6]    Y =  [ 9 10]     X · Y  =   [139 154]
//                                                  [11 12]
// X and Y are laid out as sub-matrices of larger ones, transposed or not, by rows or by columns, every ld above its
// minimum. The larger matrices hold -1000 outside of the sub-matrix, so that a wrong address gives a wrong result.
#include "src/dispatch/normalize.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"

namespace cairn::dispatch {
namespace {

constexpr float kElse = -1000;

// The memory of X in each of the four ways to store it. The sub-matrix starts at element kStart.
constexpr int kStart = 2;

// Row by row, 3 long, ld 5.
const std::vector<float> kXRows = {kElse, kElse, 1, 2, 3, kElse, kElse, 4, 5, 6, kElse, kElse};
// Column by column, 2 long, ld 4. This is also Xᵀ stored row by row.
const std::vector<float> kXColumns = {kElse, kElse, 1, 4, kElse, kElse, 2, 5, kElse, kElse, 3, 6, kElse};
// Y row by row, 2 long, ld 3; and column by column, 3 long, ld 4.
const std::vector<float> kYRows = {kElse, kElse, 7, 8, kElse, 9, 10, kElse, 11, 12, kElse};
const std::vector<float> kYColumns = {kElse, kElse, 7, 9, 11, kElse, 8, 10, 12, kElse};
// X · Y row by row with ld 4, and column by column with ld 3.
const std::vector<float> kCRows = {kElse, kElse, 58, 64, kElse, kElse, 139, 154, kElse};
const std::vector<float> kCColumns = {kElse, kElse, 58, 139, kElse, 64, 154, kElse};

struct Layout {
  Order order;
  Op op_a, op_b;
  const std::vector<float>& A;
  std::int64_t lda;
  const std::vector<float>& B;
  std::int64_t ldb;
};

const std::array<Layout, 8> kLayouts = {{
    {Order::row, Op::none, Op::none, kXRows, 5, kYRows, 3},
    {Order::row, Op::none, Op::transpose, kXRows, 5, kYColumns, 4},
    {Order::row, Op::transpose, Op::none, kXColumns, 4, kYRows, 3},
    {Order::row, Op::transpose, Op::transpose, kXColumns, 4, kYColumns, 4},
    {Order::column, Op::none, Op::none, kXColumns, 4, kYColumns, 4},
    {Order::column, Op::none, Op::transpose, kXColumns, 4, kYRows, 3},
    {Order::column, Op::transpose, Op::none, kXRows, 5, kYColumns, 4},
    {Order::column, Op::transpose, Op::transpose, kXRows, 5, kYRows, 3},
}};

Problem problem_of(const Layout& l) {
  Problem p = Problem::packed(Type::f32, l.op_a, l.op_b, 2, 2, 3, l.order);
  p.lda = l.lda, p.ldb = l.ldb, p.ldc = l.order == Order::row ? 4 : 3;
  return p;
}

// The textbook sum over the definition of an address, with no shared code: row-major only.
void naive_row_major(const Call& call) {
  const Problem& p = call.problem;
  ASSERT_EQ(p.order, Order::row);
  const auto* A = static_cast<const float*>(call.A);
  const auto* B = static_cast<const float*>(call.B);
  auto* C = static_cast<float*>(call.C);
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += A[p.op_a == Op::none ? i * p.lda + l : l * p.lda + i] *
               B[p.op_b == Op::none ? l * p.ldb + j : j * p.ldb + l];
      }
      C[i * p.ldc + j] = sum;
    }
  }
}

TEST(Normalize, RowMajorFormOfEveryLayoutGivesTheHandWorkedProduct) {
  for (const Layout& l : kLayouts) {
    const auto& wanted = l.order == Order::row ? kCRows : kCColumns;
    std::vector<float> C(wanted.size(), kElse);
    const Call call{problem_of(l), 1, l.A.data() + kStart, l.B.data() + kStart, 0, C.data() + kStart};
    naive_row_major(to_row(call));
    EXPECT_EQ(C, wanted) << problem_of(l).brief();
  }
}

TEST(Normalize, TheLibraryGivesTheHandWorkedProductForEveryLayout) {
  Handle handle;
  ASSERT_TRUE(Handle::open(kCpu, handle).ok());
  for (const Layout& l : kLayouts) {
    const auto& wanted = l.order == Order::row ? kCRows : kCColumns;
    std::vector<float> C(wanted.size(), kElse);
    const Status s = gemm(handle, l.op_a, l.op_b, 2, 2, 3, 1.0f, l.A.data() + kStart, l.lda, l.B.data() + kStart,
                          l.ldb, 0.0f, C.data() + kStart, l.order == Order::row ? 4 : 3, l.order);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(C, wanted) << problem_of(l).brief();
  }
}

TEST(Normalize, FlippingTwiceIsTheSameCall) {
  int a = 0, b = 0, c = 0;
  Problem p = Problem::packed(Type::bf16, Op::none, Op::transpose, 2, 3, 5, Order::column, 7);
  p.lda += 1, p.stride_a += 9, p.invariant = Invariant::rows;
  const Call call{p, 2, &a, &b, 3, &c};
  const Call once = flipped(call);
  EXPECT_EQ(once.problem.order, Order::row);
  EXPECT_EQ(once.problem.m, 3);
  EXPECT_EQ(once.problem.n, 2);
  EXPECT_EQ(once.problem.op_a, Op::transpose);
  EXPECT_EQ(once.problem.ldb, p.lda);
  EXPECT_EQ(once.problem.stride_b, p.stride_a);
  EXPECT_EQ(once.problem.invariant, Invariant::columns);
  EXPECT_EQ(once.A, &b);
  EXPECT_EQ(once.B, &a);
  EXPECT_EQ(once.C, &c);
  EXPECT_EQ(flipped(once).problem, p);
  EXPECT_EQ(flipped(once).A, &a);
}

TEST(Normalize, EachMatrixKeepsItsPlaceInMemory) {
  for (const Layout& l : kLayouts) {
    const Problem p = problem_of(l), q = flipped(p);
    EXPECT_EQ(p.a(), q.b());
    EXPECT_EQ(p.b(), q.a());
    EXPECT_EQ(p.c(), q.c());
  }
}

TEST(Normalize, ToRowAndToColumnLeaveTheirOwnOrderAlone) {
  const Call row{problem_of(kLayouts[1]), 1, nullptr, nullptr, 0, nullptr};
  EXPECT_EQ(to_row(row).problem, row.problem);
  EXPECT_EQ(to_column(row).problem, flipped(row.problem));
  EXPECT_EQ(to_row(to_column(row)).problem, row.problem);
}

TEST(Normalize, StridesOfWhatIsNotThereAreZero) {
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4);
  p.stride_bias = -1, p.stride_scale_a = INT64_MIN, p.stride_scale_b = INT64_MAX;
  const Problem used = with_used_strides(p);
  EXPECT_EQ(used.stride_bias, 0);
  EXPECT_EQ(used.stride_scale_a, 0);
  EXPECT_EQ(used.stride_scale_b, 0);
  p.bias = Bias::rows, p.scale_a = p.scale_b = Scale::vector;
  EXPECT_EQ(with_used_strides(p), p);
}

}  // namespace
}  // namespace cairn::dispatch
