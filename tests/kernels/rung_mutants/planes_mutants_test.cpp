// The same for the rungs that make f32 of planes of f16 and bf16: how far each element is from the exact one, and how
// far it is in their mutants.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr std::string_view k60 = "hopper/60_bf16x6", k61 = "hopper/61_f16x3";
constexpr int kSmall = 3;  // the tile of 61 that mutants are compiled for

int tile_of(std::string_view id) { return id == k60 || id == "mutant/planes_no_middle" ? 0 : kSmall; }

// op(A) with k contiguous, and op(B) likewise: a line of either is a row of op(A) or a column of op(B).
struct Inputs {
  Shape shape;
  std::vector<double> a, b;
  double& a_at(std::int64_t i, std::int64_t k) { return a[static_cast<std::size_t>(i * shape.k + k)]; }
  double& b_at(std::int64_t k, std::int64_t j) { return b[static_cast<std::size_t>(k * shape.n + j)]; }
};

// f32 from 1 to 2, or with both signs from -2 to 2, all of whose bits count.
Inputs inputs(const Shape& s, bool positive) {
  std::uint64_t seed = 1;
  const auto drawn = [&](std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& x : values) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      x = static_cast<double>(static_cast<float>(1 + static_cast<double>(seed >> 12) * 0x1p-52));
      if (!positive && (seed >> 11 & 1) != 0) x = -x;
    }
    return values;
  };
  return {s, drawn(s.m * s.k), drawn(s.k * s.n)};
}

// C = A B + C / 2 on an emulator, where C is 1.
std::vector<double> product(const emu::Entry& emulator, std::string_view id, const Inputs& in,
                            Invariant invariant = Invariant::none) {
  const Rung& chosen = rung(emulator, id);
  Problem p = problem_for(chosen, in.shape);
  p.invariant = invariant;
  Matrix A(emulator, p.in, p.m * p.k), B(emulator, p.in, p.k * p.n), C(emulator, p.out, p.m * p.n);
  A.fill(in.a), B.fill(in.b), C.fill(std::vector<double>(static_cast<std::size_t>(p.m * p.n), 1));
  const int tile = tile_of(id);
  const Choice choice = chosen.choose({p, {90, 1}, tile});
  Matrix scratch(emulator, Type::f32, static_cast<std::int64_t>(choice.scratch_bytes / sizeof(float)));
  const std::span memory(static_cast<std::byte*>(scratch.device()), choice.scratch_bytes);
  EXPECT_TRUE(chosen.launch({p, 1, A.device(), B.device(), 0.5, C.device(), 1, memory, &choice}, tile, nullptr).ok());
  EXPECT_TRUE(emulator.take_error().ok());
  C.fetch();
  std::vector<double> all;
  for (std::int64_t i = 0; i < p.m * p.n; ++i) all.push_back(C.at(i));
  return all;
}

// The largest |C - exact| / (u (sum |a| |b| + 1/2)) of all elements; infinity if a C is not finite.
double worst(std::string_view id, Inputs in, bool faithful = false) {
  const emu::Entry& emulator = plain_of(id);
  emulator.configure({.threads = 1, .faithful_tensor = faithful});
  const std::vector<double> c = product(emulator, id, in);
  emulator.configure({});
  double most = 0;
  for (std::int64_t i = 0; i < in.shape.m; ++i) {
    for (std::int64_t j = 0; j < in.shape.n; ++j) {
      double exact = 0.5, magnitude = 0.5;
      for (std::int64_t k = 0; k < in.shape.k; ++k) {
        exact += in.a_at(i, k) * in.b_at(k, j);
        magnitude += std::fabs(in.a_at(i, k) * in.b_at(k, j));
      }
      const double error = std::fabs(c[static_cast<std::size_t>(i * in.shape.n + j)] - exact) / (0x1p-24 * magnitude);
      if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
      most = std::max(most, error);
    }
  }
  return most;
}

// Elements so small that planes which hold the largest of their row do not hold them; where that one is, B has zeros.
Inputs wide(int rows) {
  Inputs in = inputs({24, 16, 64}, false);
  for (int i = 0; i < rows; ++i) in.a_at(i, 5) = 0x1p40;
  for (int j = 0; j < 16; ++j) in.b_at(5, j) = 0;
  return in;
}

TEST(PlanesMutants, ADroppedPlaneOrProductLoses12Bits) {
  const Inputs in = inputs({16, 16, 16}, false);
  for (const std::string_view id : {k60, k61}) EXPECT_LT(worst(id, in), 4) << id;
  EXPECT_GT(worst("mutant/planes_no_lo", in), 100);
  EXPECT_GT(worst("mutant/planes_one_product", in), 100);
  EXPECT_GT(worst("mutant/planes_no_middle", in), 20) << "p1 p1 is 2^-16 of the product at most";
  EXPECT_EQ(plain("mutant/planes_no_lo", {16, 16, 40}, 1, kSmall), "") << "integers have no second plane";
}

// Every cut is towards zero, so where all products have one sign they add up.
TEST(PlanesMutants, OneChainDriftsWithK) {
  const auto of = [](std::string_view id, std::int64_t k) { return worst(id, inputs({16, 16, k}, true), true); };
  for (const std::string_view id : {k60, k61}) {
    EXPECT_LT(of(id, 1024), 10) << id;
    EXPECT_LT(of(id, 4096), 20) << id;
  }
  const double shorter = of("mutant/planes_one_chain", 1024), longer = of("mutant/planes_one_chain", 4096);
  EXPECT_GT(shorter, 20);
  EXPECT_GT(longer, 3 * shorter);
  EXPECT_EQ(plain("mutant/planes_one_chain", {16, 16, 256}, 1, kSmall), "") << "integers have nothing to be cut off";
}

TEST(PlanesMutants, AScaleThatIsOffByOneIsSeen) {
  EXPECT_NE(plain("mutant/planes_scale", {16, 16, 40}, 1, kSmall), "");
  Inputs in = inputs({16, 16, 40}, false);
  EXPECT_LT(worst("mutant/planes_top", in), 4) << "nothing is that close to a power of two";
  in.a_at(3, 7) = 0x1.fffffep0;
  EXPECT_EQ(worst("mutant/planes_top", in), std::numeric_limits<double>::infinity());
  for (const std::string_view id : {k60, k61}) EXPECT_LT(worst(id, in), 4) << id;
}

// Beside an infinity, what is finite must be large, or the row is wild for the distance between them.
TEST(PlanesMutants, InfinitiesAreNotSplit) {
  Inputs in = inputs({16, 16, 40}, true);
  for (std::int64_t k = 0; k < 40; ++k) in.a_at(2, k) = k == 9 ? std::numeric_limits<double>::infinity() : 0x1p110;
  const auto row = [&](std::string_view id) {
    const std::vector<double> c = product(plain_of(id), id, in);
    return std::vector<double>(c.begin() + 2 * 16, c.begin() + 3 * 16);
  };
  const auto is_nan = [](double x) { return std::isnan(x); };
  EXPECT_TRUE(std::ranges::all_of(row("mutant/planes_infinities"), is_nan));
  EXPECT_EQ(plain("mutant/planes_infinities", {16, 16, 40}, 1, kSmall), "") << "there are none";
  for (const std::string_view id : {k60, k61}) {
    EXPECT_EQ(row(id), std::vector<double>(16, std::numeric_limits<double>::infinity())) << id;
    for (const std::uint64_t seed : kSeeds)
      EXPECT_EQ(plain(id, {16, 16, 40}, seed, tile_of(id), Values::infinity), "") << id;
  }
}

// 3 wild rows are mended, and for 20 there are planes of bf16.
TEST(PlanesMutants, RowsThatF16DoesNotHoldAreFound) {
  for (const int rows : {3, 20}) {
    EXPECT_GT(worst("mutant/planes_never_wild", wide(rows)), 100) << rows;
    for (const std::string_view id : {k60, k61}) EXPECT_LT(worst(id, wide(rows)), 4) << id << ", " << rows;
  }
  EXPECT_LT(worst("mutant/planes_never_wild", wide(0)), 4);
}

TEST(PlanesMutants, WhatOtherRowsHoldDecidesWhereRowsNeedNotBeInvariant) {
  Inputs all = inputs({24, 16, 64}, false), few = inputs({3, 16, 64}, false);
  few.b = all.b;
  std::copy_n(all.a.begin(), few.a.size(), few.a.begin());
  for (std::int64_t i = 3; i < 24; ++i) all.a_at(i, 5) = 0x1p40;
  const auto same = [&](std::string_view id, Invariant invariant) {
    const std::vector<double> of_few = product(plain_of(id), id, few, invariant),
                              of_all = product(plain_of(id), id, all, invariant);
    return std::equal(of_few.begin(), of_few.end(), of_all.begin());
  };
  for (const std::string_view id : {k60, k61}) EXPECT_TRUE(same(id, Invariant::rows)) << id;
  EXPECT_FALSE(same("mutant/planes_of_all_rows", Invariant::rows));
  EXPECT_FALSE(same(k61, Invariant::none)) << "so that this test shows something";
}

TEST(PlanesMutants, ElementsOfWildRowsAreWrittenOnce) {
  EXPECT_GT(worst("mutant/planes_not_skipped", wide(3)), 100);
  EXPECT_LT(worst("mutant/planes_not_skipped", wide(0)), 4);
}

// By the instructions of the product: 12 for each unit of k, where planes of bf16 take 24.
TEST(PlanesMutants, ManyWildRowsAreForPlanesOfBf16) {
  const auto instructions = [](std::string_view id, const Inputs& in) {
    const emu::TracedEntry& entry = traced_of(id);
    entry.begin({.detectors = false});
    entry.emulator.configure({.threads = 1});
    product(entry.emulator, id, in);
    emu::Trace trace;
    entry.take(trace);
    std::uint64_t count = 0;
    for (const emu::KernelTrace& kernel : trace.kernels) count += kernel.counters.mma_instructions;
    return count;
  };
  for (const int rows : {0, 16}) EXPECT_EQ(instructions(k61, wide(rows)), 2u * 12) << rows;
  EXPECT_EQ(instructions(k61, wide(17)), 2u * 24);
  EXPECT_EQ(instructions("mutant/planes_always_f16", wide(17)), 2u * 12);
}

}  // namespace
}  // namespace cairn
