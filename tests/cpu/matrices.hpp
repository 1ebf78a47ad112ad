// The data of a call in memory of its own, for tests of the CPU backends.
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "src/cpu/backend.hpp"

namespace cairn::cpu {

using TypePair = std::pair<Type, Type>;  // of A and B, of C
inline constexpr TypePair kTypePairs[] = {
    {Type::f64, Type::f64},   {Type::f32, Type::f32},  {Type::f16, Type::f16},   {Type::f16, Type::f32},
    {Type::bf16, Type::bf16}, {Type::bf16, Type::f32}, {Type::e4m3, Type::e4m3}, {Type::e4m3, Type::f16},
    {Type::e4m3, Type::bf16}, {Type::e4m3, Type::f32}};
inline constexpr std::pair<Op, Op> kOps[] = {
    {Op::none, Op::none}, {Op::none, Op::transpose}, {Op::transpose, Op::none}, {Op::transpose, Op::transpose}};

// The parameter of a test that every backend has to pass for some types, and its name.
using BackendAndTypes = std::tuple<const Backend*, TypePair>;
inline auto every_backend(std::span<const TypePair> types) {
  return testing::Combine(testing::ValuesIn(backends().begin(), backends().end()),
                          testing::ValuesIn(types.begin(), types.end()));
}
inline std::string backend_and_types(const testing::TestParamInfo<BackendAndTypes>& each) {
  const auto& [backend, types] = each.param;
  std::string id(backend->id);
  id.replace(id.find('/'), 1, "_");
  return id + "_" + std::string(name(types.first)) + "_" + std::string(name(types.second));
}

inline double get(Type type, const void* data, std::int64_t index) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<const T*>(data)[index]); });
}
inline void set(Type type, void* data, std::int64_t index, double x) {
  with_type(type, [&]<class T>() { static_cast<T*>(data)[index] = static_cast<T>(x); });
}

// A row-major problem whose lines are `padding` elements longer than they need be, and likewise its
// batches.
inline Problem make_problem(TypePair types, std::pair<Op, Op> ops, std::int64_t m, std::int64_t n, std::int64_t k,
                            std::int64_t padding = 0, std::int64_t batch = 1) {
  Problem p;
  p.in = types.first, p.out = types.second;
  p.op_a = ops.first, p.op_b = ops.second;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  p.lda = p.a().min_ld() + padding;
  p.ldb = p.b().min_ld() + padding;
  p.ldc = p.c().min_ld() + padding;
  p.stride_a = p.a().major * p.lda + padding;
  p.stride_b = p.b().major * p.ldb + padding;
  p.stride_c = p.c().major * p.ldc + padding;
  return p;
}

struct Matrices {
  Problem problem;
  double alpha = 1, beta = 0;
  std::vector<std::byte> A, B, C;

  explicit Matrices(const Problem& p)
      : problem(p),
        A(static_cast<std::size_t>(p.batch * p.stride_a * size_of(p.in))),
        B(static_cast<std::size_t>(p.batch * p.stride_b * size_of(p.in))),
        C(static_cast<std::size_t>(p.batch * p.stride_c * size_of(p.out))) {}

  Call call() { return {problem, alpha, A.data(), B.data(), beta, C.data()}; }

  // draw() gives each number in turn; padding gets numbers too.
  template <class Draw> void fill(Draw&& draw) {
    for (std::int64_t i = 0; i < problem.batch * problem.stride_a; ++i) set(problem.in, A.data(), i, draw());
    for (std::int64_t i = 0; i < problem.batch * problem.stride_b; ++i) set(problem.in, B.data(), i, draw());
    for (std::int64_t i = 0; i < problem.batch * problem.stride_c; ++i) set(problem.out, C.data(), i, draw());
  }
  void fill_real(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> real(-1, 1);
    fill([&] { return real(random); });
  }
  void fill_integers(unsigned seed, int largest) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> integer(-largest, largest);
    fill([&] { return integer(random); });
  }

  // Elements of op(A), op(B), C by their place in the mathematics.
  std::int64_t a_index(std::int64_t batch, std::int64_t i, std::int64_t kk) const {
    return batch * problem.stride_a + (problem.op_a == Op::none ? i * problem.lda + kk : kk * problem.lda + i);
  }
  std::int64_t b_index(std::int64_t batch, std::int64_t kk, std::int64_t j) const {
    return batch * problem.stride_b + (problem.op_b == Op::none ? kk * problem.ldb + j : j * problem.ldb + kk);
  }
  std::int64_t c_index(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    return batch * problem.stride_c + i * problem.ldc + j;
  }
  double a(std::int64_t batch, std::int64_t i, std::int64_t kk) const {
    return get(problem.in, A.data(), a_index(batch, i, kk));
  }
  double b(std::int64_t batch, std::int64_t kk, std::int64_t j) const {
    return get(problem.in, B.data(), b_index(batch, kk, j));
  }
  double c(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    return get(problem.out, C.data(), c_index(batch, i, j));
  }

  template <class F>  // f(batch, i, j)
  void each_c(F&& f) const {
    for (std::int64_t batch = 0; batch < problem.batch; ++batch)
      for (std::int64_t i = 0; i < problem.m; ++i)
        for (std::int64_t j = 0; j < problem.n; ++j) f(batch, i, j);
  }
};

// Runs a call with exactly the workspace the backend asks for, and sees that it keeps to it.
inline void run_within_workspace(const Backend& backend, const Call& call) {
  constexpr std::size_t kGuard = 256;
  constexpr std::byte kMark{0xa5};
  const std::size_t bytes = backend.workspace(call.problem);
  std::vector<std::byte> memory(bytes + 2 * kGuard, kMark);
  std::byte* start = memory.data() + (kGuard - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
  const Status status = backend.run(call, {start, bytes});
  ASSERT_TRUE(status.ok()) << status.message();
  for (const std::byte* at = memory.data(); at < memory.data() + memory.size(); ++at) {
    const bool inside = at >= start && at < start + bytes;
    ASSERT_TRUE(inside || *at == kMark) << "written " << at - start << " bytes from the start of a workspace of "
                                        << bytes;
  }
}

}  // namespace cairn::cpu
