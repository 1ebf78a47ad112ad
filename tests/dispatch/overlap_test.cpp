// C against A and B: what shares an element is found, what does not is left alone.
#include "src/dispatch/overlap.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "src/dispatch/check.hpp"

namespace cairn::dispatch {
namespace {

const void* at(std::int64_t address) { return reinterpret_cast<const void*>(address); }

std::set<std::uintptr_t> bytes_of(const Footprint& f) {
  std::set<std::uintptr_t> all;
  for (std::int64_t b = 0; b < f.batch; ++b)
    for (std::int64_t i = 0; i < f.lines; ++i)
      for (std::int64_t j = 0; j < f.line; ++j)
        all.insert(f.first + static_cast<std::uintptr_t>(b * f.stride + i * f.ld + j));
  return all;
}

// Against the sets of their bytes: any ld and stride, batches that share a matrix, and batches side by side.
TEST(Overlap, IsExactForDrawnFootprints) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
  constexpr Type kTypes[] = {Type::e4m3, Type::f16, Type::f32};
  int found = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::int64_t ld = draw(1, 12), stride = draw(0, 40);
    const auto footprint = [&] {
      Stored s{draw(1, 5), draw(1, 5), 0};
      s.ld = std::max(s.minor, draw(0, 2) == 0 ? draw(1, 15) : ld);
      return Footprint(at(1000 + draw(0, 160)), s, kTypes[draw(0, 2)], draw(1, 4),
                       draw(0, 2) == 0 ? draw(0, 50) : stride);
    };
    const Footprint x = footprint(), y = footprint();
    const auto left = bytes_of(x), right = bytes_of(y);
    bool shared = false;
    for (const std::uintptr_t byte : left) shared |= right.contains(byte);
    found += shared;
    ASSERT_EQ(overlap(x, y), shared) << "round " << round;
    ASSERT_EQ(overlap(y, x), shared) << "round " << round;
  }
  EXPECT_GT(found, 1000);
  EXPECT_LT(found, 3000);
}

TEST(Overlap, LargeMatricesTakeNoTime) {
  const auto start = std::chrono::steady_clock::now();
  const Stored block{1 << 20, 64, 1 << 12};
  const Footprint x(at(1 << 20), block, Type::f64, 1000, std::int64_t{1} << 33);
  const Footprint beside(at((1 << 20) + 64 * 8), block, Type::f64, 1000, std::int64_t{1} << 33);
  const Footprint over(at((1 << 20) + 63 * 8), block, Type::f64, 1000, std::int64_t{1} << 33);
  // Two leading dimensions, a million lines each.
  const Footprint odd(at((1 << 20) + 64 * 8), {1 << 20, 64, (1 << 12) + 37}, Type::f64, 1, 0);
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(overlap(x, beside));
    EXPECT_TRUE(overlap(x, over));
    EXPECT_TRUE(overlap(x, odd));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Overlap, TheEndsOfTheAddressSpaceAreNotNeighbours) {
  const Stored line{1, 64, 64};
  EXPECT_FALSE(overlap(Footprint(at(-64), line, Type::e4m3, 1, 0), Footprint(at(0), line, Type::e4m3, 1, 0)));
  EXPECT_FALSE(overlap(Footprint(at(64), {2, 1, INT64_MAX / 2}, Type::e4m3, 1, 0),
                       Footprint(at(128), {2, 1, INT64_MAX / 2}, Type::e4m3, 1, 0)));
}

// check() takes any ld for a single line and any stride for a single matrix; in bytes they would not fit 64 bits.
TEST(Overlap, WhatLeadsToNoLineMayBeAnything) {
  const Footprint x(at(1 << 20), {1, 8, INT64_MAX / 2}, Type::f64, 1, INT64_MAX / 2);
  EXPECT_TRUE(overlap(x, Footprint(at((1 << 20) + 56), {1, 8, INT64_MAX}, Type::f64, 1, INT64_MAX)));
  EXPECT_FALSE(overlap(x, Footprint(at((1 << 20) + 64), {1, 8, INT64_MAX}, Type::f64, 1, INT64_MAX)));
}

std::string said(const Problem& p, double alpha, std::int64_t A, std::int64_t B, std::int64_t C) {
  return check_pointers(p, alpha, {at(A), at(B), const_cast<void*>(static_cast<const void*>(at(C)))}).message();
}

TEST(Overlap, TheRefusalNamesTheFactorAsTheCallerDoes) {
  for (const Order order : {Order::row, Order::column}) {
    const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4, order);
    EXPECT_EQ(said(p, 1, 4096, 8192, 4096).rfind("C overlaps A;", 0), 0u) << said(p, 1, 4096, 8192, 4096);
    EXPECT_EQ(said(p, 1, 4096, 8192, 8192 + 60).rfind("C overlaps B;", 0), 0u);
    EXPECT_EQ(said(p, 1, 4096, 4096, 4096 + 64), "");  // end to end
  }
}

TEST(Overlap, OnlyWhatIsReadCounts) {
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4);
  EXPECT_EQ(said(p, 0, 4096, 4096, 4096), "");
  p.k = 0, p.lda = p.ldb = INT64_MAX;
  EXPECT_EQ(said(p, 1, 4096, 4096, 4096), "");
  p.k = 4, p.m = 0;
  EXPECT_EQ(said(p, 1, 4096, 4096, 4096), "");
}

TEST(Overlap, BatchesOfBlocksOfOneMatrixAreTaken) {
  // 16 matrices of 96 x 96; C is their lower right 64 x 64, A left of it and B above, as in a factorization.
  Problem p = Problem::packed(Type::f64, Op::none, Op::none, 64, 64, 32, Order::row, 16);
  p.lda = p.ldb = p.ldc = 96;
  p.stride_a = p.stride_b = p.stride_c = 96 * 96;
  const auto block = [](std::int64_t i, std::int64_t j) { return 4096 + (i * 96 + j) * 8; };
  EXPECT_EQ(said(p, 1, block(32, 0), block(0, 32), block(32, 32)), "");
  EXPECT_EQ(said(p, 1, block(32, 0), block(0, 32), block(32, 31)).rfind("C overlaps A;", 0), 0u);
  EXPECT_EQ(said(p, 1, block(32, 0), block(0, 32), block(31, 32)).rfind("C overlaps B;", 0), 0u);
}

}  // namespace
}  // namespace cairn::dispatch
