// cpu/openblas against the exact result, over what decides its path: types, ops, panels, batches,
// threads.
#include <gtest/gtest.h>

#ifdef CAIRN_HAVE_OPENBLAS

#include <cmath>
#include <limits>
#include <thread>

#include "src/cpu/panels.hpp"
#include "src/cpu/reference.hpp"
#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

constexpr double unit_roundoff(Type type) {
  switch (type) {
    case Type::f64: return 0x1p-53;
    case Type::f32: return 0x1p-24;
    case Type::f16: return 0x1p-11;
    case Type::bf16: return 0x1p-8;
    case Type::e4m3: break;
  }
  return 0x1p-4;
}

// Half the smallest denormal: what rounding to the type may cost where the result is tiny.
constexpr double underflow(Type type) {
  return type == Type::e4m3 ? 0x1p-10 : type == Type::f16 ? 0x1p-25 : 0x1p-134;
}

void expect_close(const Matrices& x, const std::vector<double>& want, const std::vector<double>& size) {
  const Problem& p = x.problem;
  const double u = unit_roundoff(accumulator(p.in)) * 8 * std::sqrt(static_cast<double>(p.k));
  std::size_t at = 0;
  x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
    const double bound = u * size[at] + unit_roundoff(p.out) * std::fabs(want[at]) + underflow(p.out);
    ASSERT_LE(std::fabs(x.c(batch, i, j) - want[at]), bound)
        << p.full() << ": C[" << i << "][" << j << "] of batch " << batch << " = " << x.c(batch, i, j)
        << " instead of " << want[at];
    ++at;
  });
}

void check(const Problem& p, double alpha, double beta, unsigned seed = 1) {
  Matrices x(p);
  x.fill_real(seed);
  x.alpha = alpha, x.beta = beta;
  const auto elements = static_cast<std::size_t>(p.batch * p.m * p.n);
  std::vector<double> want(elements), lo(elements), size(elements);
  exact(x.call(), want.data(), lo.data());
  magnitude(x.call(), size.data());
  ASSERT_EQ(openblas.refuses(p), "");
  run_within_workspace(openblas, x.call());
  expect_close(x, want, size);
}

TEST(OpenBlas, agrees_with_the_exact_result_for_every_type_op_and_ld) {
  unsigned seed = 0;
  for (const TypePair& types : kTypePairs)
    for (const auto& ops : kOps)
      for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {17, 5, 40}, {64, 65, 63}, {1, 70, 90}, {70, 1, 90}})
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.75, 1.5}}) {
          ++seed;
          check(make_problem(types, ops, m, n, k, static_cast<std::int64_t>(seed % 4)), alpha, beta, seed);
          if (HasFatalFailure()) return;
        }
}

TEST(OpenBlas, narrow_types_are_right_across_the_edges_of_panels) {
  constexpr std::int64_t size = Panels::kSize;
  for (const TypePair& types : kTypePairs) {
    if (types.first == Type::f64 || types.first == Type::f32) continue;
    for (const auto& ops : kOps) {
      for (const auto& [m, n, k] : {std::tuple{size + 1, std::int64_t{3}, std::int64_t{5}},
                                    {std::int64_t{3}, 2 * size + 1, std::int64_t{5}},
                                    {std::int64_t{3}, std::int64_t{5}, 2 * size + 1}}) {
        check(make_problem(types, ops, m, n, k, 1), 0.5, -1);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Large enough that conversions are spread over threads where there are any.
TEST(OpenBlas, narrow_types_are_right_where_panels_are_converted_by_threads) {
  check(make_problem({Type::bf16, Type::bf16}, kOps[0], 600, 500, 40, 3), 1, 0.5);
  check(make_problem({Type::f16, Type::f32}, kOps[3], 300, Panels::kSize + 6, 257), 1, 0);
  check(make_problem({Type::e4m3, Type::e4m3}, kOps[2], 513, 300, 300), 1, 0);
}

TEST(OpenBlas, batches_of_many_small_and_of_few_large_products_are_right) {
  for (const TypePair& types : kTypePairs) {
    check(make_problem(types, kOps[1], 20, 24, 28, 1, 301), 1,
          0.5);                                                   // more than one thread's worth, uneven
    check(make_problem(types, kOps[0], 3, 2, 4, 0, 1000), 1, 0);  // not worth a thread
    check(make_problem(types, kOps[2], 90, 80, 70, 2, 3), -1,
          0);  // each for all of OpenBLAS's threads
    if (HasFatalFailure()) return;
  }
}

TEST(OpenBlas, a_batch_gives_what_its_products_give_alone) {
  Matrices x(make_problem({Type::f16, Type::f16}, kOps[0], 20, 24, 28, 0, 200));
  x.fill_real(4);
  Matrices alone = x;
  run_within_workspace(openblas, x.call());
  for (std::int64_t batch = 0; batch < 200; ++batch) {
    Call call = alone.call();
    call.problem.batch = 1;
    call.A = alone.A.data() + batch * alone.problem.stride_a * 2;
    call.B = alone.B.data() + batch * alone.problem.stride_b * 2;
    call.C = alone.C.data() + batch * alone.problem.stride_c * 2;
    run_within_workspace(openblas, call);
  }
  EXPECT_EQ(x.C, alone.C);
}

TEST(OpenBlas, calls_from_four_threads_at_once_do_not_disturb_each_other) {
  constexpr int threads = 4, rounds = 10;
  const TypePair types[threads] = {
      {Type::f32, Type::f32}, {Type::bf16, Type::bf16}, {Type::f64, Type::f64}, {Type::f16, Type::f32}};
  std::vector<Matrices> before, want;
  for (int i = 0; i < threads; ++i) {
    // Two large products and two batches of small ones.
    const Problem p =
        i < 2 ? make_problem(types[i], kOps[i], 150, 140, 130) : make_problem(types[i], kOps[i], 20, 24, 28, 0, 200);
    before.emplace_back(p).fill_real(static_cast<unsigned>(i));
    want.push_back(before.back());
    run_within_workspace(openblas, want.back().call());
  }
  int wrong[threads] = {};
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      for (int round = 0; round < rounds; ++round) {
        Matrices x = before[static_cast<std::size_t>(i)];
        std::vector<std::byte> memory(openblas.workspace(x.problem) + 64);
        std::byte* start = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
        const bool ok = openblas.run(x.call(), {start, memory.size() - 64}).ok();
        wrong[i] += !ok || x.C != want[static_cast<std::size_t>(i)].C;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (int i = 0; i < threads; ++i) EXPECT_EQ(wrong[i], 0) << "thread " << i;
}

TEST(OpenBlas, the_workspace_is_a_function_of_the_problem_and_none_for_f32_and_f64) {
  EXPECT_EQ(openblas.workspace(make_problem({Type::f32, Type::f32}, kOps[0], 2000, 2000, 2000)), 0u);
  EXPECT_EQ(openblas.workspace(make_problem({Type::f64, Type::f64}, kOps[0], 20, 20, 20, 0, 1000)), 0u);
  constexpr auto panel = static_cast<std::size_t>(Panels::kSize * Panels::kSize) * sizeof(float);
  EXPECT_EQ(openblas.workspace(make_problem({Type::f16, Type::f16}, kOps[0], 5000, 6000, 7000)), 3 * panel);
}

// Every thread has panels of its own, so the workspace of a narrow type tells how many there are.
TEST(OpenBlas, a_batch_that_is_soon_done_stays_on_one_thread) {
  const TypePair f16{Type::f16, Type::f16};
  const auto bytes = [&](std::int64_t size, std::int64_t batch) {
    return openblas.workspace(make_problem(f16, kOps[0], size, size, size, 0, batch));
  };
  EXPECT_EQ(bytes(16, 1000), bytes(16, 1));
  EXPECT_EQ(bytes(64, 40), bytes(64, 1));
  EXPECT_GE(bytes(64, 100000), bytes(64, 1));
}

TEST(OpenBlas, refuses_types_it_does_not_sum) {
  const TypePair f32{Type::f32, Type::f32};
  EXPECT_NE(openblas.refuses(make_problem({Type::f16, Type::f64}, kOps[0], 1, 1, 1)), "");
  EXPECT_NE(openblas.refuses(make_problem({Type::f32, Type::f64}, kOps[0], 1, 1, 1)), "");
  for (const Compute compute : {Compute::native, Compute::tf32, Compute::split}) {
    Problem p = make_problem(f32, kOps[0], 5, 6, 7);
    p.compute = compute;
    check(p, 1, 0);
  }
  Problem fast = make_problem({Type::e4m3, Type::f32}, kOps[0], 5, 6, 700);
  fast.compute = Compute::fast;
  check(fast, 1, 0);
}

}  // namespace
}  // namespace cairn::cpu

#endif  // CAIRN_HAVE_OPENBLAS
