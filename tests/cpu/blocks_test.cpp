// Products that a BLAS's integers cannot hold: how they are cut, with small limits, and cpu/openblas with a leading
// dimension that it cannot be given.
#include "src/cpu/blocks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "src/cpu/reference.hpp"
#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

// A BLAS of plain loops that refuses what its integers do not hold, and a line that an ld reaches into another.
void small_blas(const Call& call, const Limits& most, const Block& b) {
  const Problem& p = call.problem;
  for (const std::int64_t size : {b.rows, b.cols, b.depth}) ASSERT_TRUE(size > 0 && size <= most.size) << size;
  const std::int64_t lda = std::min(p.lda, most.ld), ldb = std::min(p.ldb, most.ld), ldc = std::min(p.ldc, most.ld);
  const auto* A =
      static_cast<const double*>(call.A) + (p.op_a == Op::none ? b.i0 * p.lda + b.k0 : b.k0 * p.lda + b.i0);
  const auto* B =
      static_cast<const double*>(call.B) + (p.op_b == Op::none ? b.k0 * p.ldb + b.j0 : b.j0 * p.ldb + b.k0);
  auto* C = static_cast<double*>(call.C) + b.i0 * p.ldc + b.j0;
  ASSERT_GE(lda, p.op_a == Op::none ? b.depth : b.rows);
  ASSERT_GE(ldb, p.op_b == Op::none ? b.cols : b.depth);
  ASSERT_GE(ldc, b.cols);
  for (std::int64_t i = 0; i < b.rows; ++i)
    for (std::int64_t j = 0; j < b.cols; ++j) {
      double sum = 0;
      for (std::int64_t kk = 0; kk < b.depth; ++kk)
        sum +=
            A[p.op_a == Op::none ? i * lda + kk : kk * lda + i] * B[p.op_b == Op::none ? kk * ldb + j : j * ldb + kk];
      double& c = C[i * ldc + j];
      c = call.alpha * sum + (b.k0 > 0 ? c : call.beta == 0 ? 0 : call.beta * c);
    }
}

TEST(Blocks, every_block_fits_and_together_they_are_the_product) {
  for (const Limits most : {Limits{1, 1}, {3, 3}, {4, 9}, {7, 7}, {100, 100}})
    for (const auto& ops : kOps)
      for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {20, 1, 1}, {1, 20, 1}, {1, 1, 20}, {9, 8, 7}, {3, 20, 6}})
        for (const std::int64_t padding : {0, 3, 100}) {
          Matrices x(make_problem({Type::f64, Type::f64}, ops, m, n, k, padding));
          x.fill_integers(5, 9);
          x.alpha = 2, x.beta = padding == 3 ? -3 : 0;
          Matrices want = x;
          run_within_workspace(reference, want.call());
          each_block(x.problem, most, [&](const Block& b) { small_blas(x.call(), most, b); });
          ASSERT_EQ(x.C, want.C) << x.problem.full() << ", at most " << most.size << ", ld " << most.ld;
        }
}

TEST(Blocks, what_fits_is_one_block_and_what_does_not_is_cut_no_finer_than_it_must) {
  const TypePair f32{Type::f32, Type::f32};
  constexpr std::int64_t size = std::int64_t{1} << 30, ld = 0x7fffffff;
  constexpr Limits most{size, ld};
  const auto count = [&](const Problem& p) {
    int blocks = 0;
    each_block(p, most, [&](const Block&) { ++blocks; });
    return blocks;
  };
  EXPECT_TRUE(fits(make_problem(f32, kOps[0], size, 1, 1), most));
  EXPECT_TRUE(fits(make_problem(f32, kOps[0], 4, 5, 6, ld - 6), most));
  EXPECT_EQ(count(make_problem(f32, kOps[0], 5000, 6000, 7000)), 1);
  EXPECT_FALSE(fits(make_problem(f32, kOps[0], size + 1, 1, 1), most));
  EXPECT_EQ(count(make_problem(f32, kOps[0], 2 * size, 1, 1)), 2);
  EXPECT_EQ(count(make_problem(f32, kOps[0], 1, 4 * size, 1)), 4);  // one line each of B and C: no ld is used
  EXPECT_FALSE(fits(make_problem(f32, kOps[0], 4, 5, 6, ld), most));
  EXPECT_EQ(count(make_problem(f32, kOps[0], 4, 5, 6, ld)), 24);  // a row of A, C and B at a time
}

#ifdef CAIRN_HAVE_OPENBLAS
// Address space without memory: only the pages that are touched take any.
template <class T> class Sparse {
 public:
  explicit Sparse(std::int64_t elements)
      : bytes_(static_cast<std::size_t>(elements) * sizeof(T)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Sparse() {
    if (there()) munmap(data_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  bool there() const { return data_ != MAP_FAILED; }
  T* data() const { return static_cast<T*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

template <class T> void multiply_lines_far_apart(Type type) {
  for (const auto& ops : kOps) {
    const Problem p = make_problem({type, type}, ops, 3, 4, 5, (std::int64_t{1} << 31) + 5);
    ASSERT_EQ(openblas.refuses(p), "");
    const Sparse<T> A(p.a().span()), B(p.b().span()), C(p.c().span());
    if (!A.there() || !B.there() || !C.there()) GTEST_SKIP() << "no address space for lines 2^31 elements apart";
    const auto lines = [](T* X, const Stored& s, auto&& f) {
      for (std::int64_t i = 0; i < s.major; ++i)
        for (std::int64_t j = 0; j < s.minor; ++j) f(X[i * s.ld + j]);
    };
    int next = 0;
    for (const auto& [X, s] : {std::pair{A.data(), p.a()}, {B.data(), p.b()}, {C.data(), p.c()}})
      lines(X, s, [&](T& x) { x = static_cast<T>(next++ % 7 - 3); });
    const Call call{p, 2, A.data(), B.data(), -1, C.data()};
    double want[12], lo[12];
    exact(call, want, lo);
    run_within_workspace(openblas, call);
    int at = 0;
    lines(C.data(), p.c(), [&](T& c) {
      EXPECT_EQ(static_cast<double>(c), want[at]) << p.full() << ", element " << at;
      ++at;
    });
  }
}

TEST(Blocks, openblas_takes_a_leading_dimension_beyond_its_integers) {
  multiply_lines_far_apart<float>(Type::f32);
  multiply_lines_far_apart<double>(Type::f64);
}
#endif

}  // namespace
}  // namespace cairn::cpu
