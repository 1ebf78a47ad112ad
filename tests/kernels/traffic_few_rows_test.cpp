// simt/24: what a product with few rows or columns reads, however its large matrix is stored.
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr int kTile = 1;                               // one row, 128 columns
constexpr std::uint64_t kMany = 256, kK = 64;          // two blocks
constexpr std::uint64_t kLarge = kMany * kK * 4 / 32;  // sectors of the large matrix

emu::Counters count(Op op_a, Op op_b, bool turned, std::int64_t beyond) {
  Problem p = Problem::packed(Type::f32, op_a, op_b, turned ? kMany : 1, turned ? 1 : kMany, kK);
  (turned ? p.lda : p.ldb) += beyond;
  const Traced traced = trace_rung("simt/24_few_rows", kTile, p, 1, {});
  EXPECT_EQ(traced.failure, "");
  EXPECT_TRUE(traced.trace.findings.empty());
  return traced.trace.kernels.at(0).counters;
}

// The vector comes by asynchronous copies, once for each block; the large matrix by loads of 16 bytes a lane.
TEST(TrafficFewRows, TheLargeMatrixIsReadOnceInEveryLayout) {
  for (const bool turned : {false, true}) {
    for (const Op op_a : {Op::none, Op::transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        const emu::Counters c = count(op_a, op_b, turned, 0);
        EXPECT_EQ(c.global_load_sectors - c.async_copy_sectors, kLarge);
        EXPECT_EQ(c.global_load_requests - c.async_copy_requests, kMany * kK / (4 * kWarp));
        EXPECT_EQ(c.async_copy_sectors, 2 * kK * 4 / 32);
        EXPECT_EQ(c.shared_load_bank_conflicts, 0u);
        EXPECT_EQ(c.global_store_sectors, kMany * 4 / 32);
      }
    }
  }
}

// Lines that begin anywhere are read by single elements, neighbours by neighbouring lanes: a warp's access of 128 bytes
// is in five sectors at most, where its lanes are in a line.
TEST(TrafficFewRows, OddLinesAreReadByNeighbours) {
  const emu::Counters c = count(Op::none, Op::none, false, 1);
  EXPECT_EQ(c.global_load_requests - c.async_copy_requests, kMany * kK / kWarp);
  EXPECT_LE(c.global_load_sectors - c.async_copy_sectors, kLarge * 5 / 4);
}

}  // namespace
}  // namespace cairn::lab::trace
