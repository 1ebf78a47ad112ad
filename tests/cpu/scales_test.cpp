// Scales on every CPU backend: of tensors, rows and columns, and blocks of 128; with beta, batches and no product.
#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

class ScaledProducts : public testing::TestWithParam<BackendAndTypes> {
 protected:
  // Powers of two and small integers, whose results every type holds.
  void expect_right(Matrices x, double (*drawn)(std::size_t)) const {
    const Backend& backend = *std::get<0>(GetParam());
    const Problem& p = x.problem;
    const Matrices before = x;
    const Type type = accumulator(p.in);
    const auto numbers = [&](std::int64_t elements, std::int64_t stride) {
      std::vector<std::byte> all(
          static_cast<std::size_t>(((p.batch - 1) * stride + elements) * size_of(type)));  // exactly
      for (std::size_t i = 0; i < all.size() / static_cast<std::size_t>(size_of(type)); ++i)
        set(type, all.data(), static_cast<std::int64_t>(i), drawn(i));
      return all;
    };
    const auto of_a = numbers(p.scale_a_elements(), p.stride_scale_a);
    const auto of_b = numbers(p.scale_b_elements(), p.stride_scale_b);
    const auto scale = [&](Scale kind, const auto& data, std::int64_t stride, std::int64_t batch, std::int64_t line,
                           std::int64_t l) {
      const std::int64_t blocks = (p.k + 127) / 128;
      const std::int64_t first = batch * stride;
      if (kind == Scale::none) return 1.0;
      if (kind == Scale::tensor) return get(type, data.data(), first);
      if (kind == Scale::vector) return get(type, data.data(), first + line);
      if (kind == Scale::blocks) line /= 128;
      return get(type, data.data(), first + line * blocks + l / 128);
    };
    Call call = x.call();
    call.scale_a = of_a.data(), call.scale_b = of_b.data();
    ASSERT_EQ(backend.refuses(p), "") << p.full();
    run_within_workspace(backend, call);
    x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
      double want = x.beta == 0 ? 0 : x.beta * before.c(batch, i, j);
      for (std::int64_t l = 0; l < p.k; ++l)
        want += x.alpha * before.a(batch, i, l) * scale(p.scale_a, of_a, p.stride_scale_a, batch, i, l) *
                before.b(batch, l, j) * scale(p.scale_b, of_b, p.stride_scale_b, batch, j, l);
      ASSERT_EQ(x.c(batch, i, j), want) << p.full() << " at " << i << ", " << j;
    });
  }
};

double powers(std::size_t i) { return i % 3 == 0 ? 0.5 : i % 3 == 1 ? -1 : 2; }
double signs(std::size_t i) { return i % 3 == 0 ? 1 : -1; }

TEST_P(ScaledProducts, AreScaledOnceAndBetaCIsNot) {
  for (const auto& [a, b] : {std::pair{Scale::tensor, Scale::none},
                             {Scale::none, Scale::vector},
                             {Scale::vector, Scale::tensor},
                             {Scale::vector, Scale::vector}}) {
    for (const auto& [alpha, beta, k] : {std::tuple{1.0, 0.0, 6}, {-1.0, 2.0, 6}, {0.0, 1.0, 6}, {1.0, 1.0, 0}}) {
      for (const auto& op : kOps) {
        Matrices x(make_problem(std::get<1>(GetParam()), op, 5, 7, k, 2, 3));
        Problem& p = x.problem;
        x.fill_integers(7, 1);
        x.alpha = alpha, x.beta = beta;
        p.scale_a = a, p.scale_b = b;
        p.stride_scale_a = beta == 0 ? 0 : p.scale_a_elements(), p.stride_scale_b = p.scale_b_elements() + 1;
        expect_right(x, powers);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Blocks are for e4m3.
class ScaledBlocks : public ScaledProducts {};
TEST_P(ScaledBlocks, AreScaledByTheirOwn) {
  for (const auto& [a, b] : {std::pair{Scale::vector_blocks, Scale::blocks},
                             {Scale::blocks, Scale::vector_blocks},
                             {Scale::vector_blocks, Scale::vector_blocks},
                             {Scale::blocks, Scale::blocks}}) {
    for (const auto& op : kOps) {
      Matrices x(make_problem(std::get<1>(GetParam()), op, 3, 131, 300, 2, 2));
      x.fill_integers(7, 1);
      for (std::size_t i = 0; i < x.A.size(); ++i)  // sums of few terms, which e4m3 holds
        if (i % 64 != 0) x.A[i] = std::byte{0};
      x.problem.scale_a = a, x.problem.scale_b = b;
      x.problem.stride_scale_a = x.problem.scale_a_elements() + 2;
      expect_right(x, signs);
      if (HasFatalFailure()) return;
    }
  }
}

constexpr TypePair kE4m3[] = {
    {Type::e4m3, Type::e4m3}, {Type::e4m3, Type::f16}, {Type::e4m3, Type::bf16}, {Type::e4m3, Type::f32}};
INSTANTIATE_TEST_SUITE_P(All, ScaledBlocks, every_backend(kE4m3), backend_and_types);
INSTANTIATE_TEST_SUITE_P(All, ScaledProducts, every_backend(kTypePairs), backend_and_types);

}  // namespace
}  // namespace cairn::cpu
