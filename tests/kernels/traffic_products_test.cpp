// simt/25: what tiles cost that stay in shared memory as they are stored, in every layout.
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr int kTiles = 12;
constexpr Op kOps[] = {Op::none, Op::transpose};

emu::Counters count_tile(int tile, const Problem& p) {
  const Traced traced = trace_rung("simt/25_small_products", tile, p, 1, {});
  EXPECT_EQ(traced.failure, "");
  EXPECT_TRUE(traced.trace.findings.empty());
  return traced.trace.kernels.at(0).counters;
}

// What another 128 of k cost: requests of 16 bytes a lane, which take two wavefronts as lanes are two by two. Lines along k
// have a chunk of padding after every fourth, and those along m or n need none.
TEST(TrafficProducts, OperandsOfAnyLayoutAreReadInTwoWavefrontsARequest) {
  for (int tile = 0; tile < kTiles; ++tile) {
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        const emu::Counters once = count_tile(tile, Problem::packed(Type::f32, op_a, op_b, 64, 64, 128));
        const emu::Counters twice = count_tile(tile, Problem::packed(Type::f32, op_a, op_b, 64, 64, 256));
        EXPECT_EQ(twice.shared_load_bank_conflicts, once.shared_load_bank_conflicts) << tile;
        EXPECT_EQ(twice.shared_load_wavefronts - once.shared_load_wavefronts,
                  2 * (twice.shared_load_requests - once.shared_load_requests))
            << tile;
      }
    }
  }
}

// For each k a warp has (8 + 16) / 4 requests of a tile of 64 x 64, of which each lane has 8 x 16. Of 33 columns, stripes of
// 16 that are outside of C are not read, nor multiplied.
TEST(TrafficProducts, SixRequestsServe128MultiplyAddsAndFewerAnEdge) {
  const auto requests = [](std::int64_t columns) {
    const auto of = [&](std::int64_t k) {
      return count_tile(0, Problem::packed(Type::f32, Op::none, Op::none, 64, columns, k)).shared_load_requests;
    };
    return of(256) - of(128);
  };
  EXPECT_EQ(requests(64), 128u * (8 + 16) / 4);
  EXPECT_EQ(requests(33), 128u * (8 + 12) / 4);
}

// Every word of A and B comes once, 16 bytes at a time and by no register, in any layout.
TEST(TrafficProducts, EveryLayoutCopiesEachSectorOnce) {
  constexpr std::uint64_t kM = 64, kN = 64, kK = 128;
  for (const int tile : {0, 1, 6}) {  // 64 x 64
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        const emu::Counters c = count_tile(tile, Problem::packed(Type::f32, op_a, op_b, kM, kN, kK));
        EXPECT_EQ(c.global_load_requests, (kM + kN) * kK / (4 * kWarp));
        EXPECT_EQ(c.async_copy_requests, c.global_load_requests);
        EXPECT_EQ(c.global_load_sectors, (kM + kN) * kK * 4 / 32);
        EXPECT_EQ(c.global_store_sectors, kM * kN * 4 / 32);
      }
    }
  }
}

// Four products a block, and none of its barriers: warps wait for themselves.
TEST(TrafficProducts, ABatchOfTinyProductsHasNoBarrierOfABlock) {
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 16, 16, 16, Order::row, 6);
  const emu::Counters c = count_tile(5, p);
  EXPECT_EQ(c.barriers, 0u);
  EXPECT_EQ(c.global_load_sectors, 6u * 2 * 16 * 16 * 4 / 32);
}

}  // namespace
}  // namespace cairn::lab::trace
