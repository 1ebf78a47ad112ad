// What every rung with a cost model promises of its answers, and which way they point on problems where the reason
// can be seen. The formulas are not repeated here: whether they are right is for records of measured times to say
// (tests/lab/tiles_test.cpp).
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "src/dispatch/candidate.hpp"
#include "tests/support/summit.hpp"

namespace cairn {
namespace {

using test::choose;
using test::kH200;
using test::summit;

constexpr Op n = Op::none, t = Op::transpose;

Problem problem(Type type, std::int64_t m, std::int64_t cols, std::int64_t k, Op op_a = n, Op op_b = n,
                std::int64_t batch = 1) {
  return Problem::packed(type, op_a, op_b, m, cols, k, Order::row, batch);
}
Problem fast(std::int64_t m, std::int64_t cols, std::int64_t k, Op op_a = n, Op op_b = t) {
  Problem p = problem(Type::e4m3, m, cols, k, op_a, op_b);
  p.out = Type::bf16, p.compute = Compute::fast;
  return p;
}
std::string tile_for(const Problem& p) { return summit().tile_name(choose(p).tile).text; }

// Thin, deep, square, odd, tiny and empty.
constexpr std::int64_t kSizes[][3] = {{1, 1, 1},         {64, 64, 64},       {1, 4096, 4096},    {4096, 16, 4096},
                                      {200, 300, 400},   {128, 128, 65536},  {1000, 1000, 1000}, {4095, 4097, 333},
                                      {4096, 4096, 512}, {8192, 8192, 8192}, {0, 5, 7},          {5, 7, 0}};

// Calls f(rung, problem) for every rung with a cost model, each of its types, layouts and sizes.
template <class F> void for_each_answer(F f) {
  int rungs = 0;
  for (const Rung* rung : emulated_ladder()) {
    if (rung->choose == nullptr) continue;
    ++rungs;
    for (const Types& types : rung->types) {
      for (const auto& [m, cols, k] : kSizes) {
        for (const Op op_b : {n, t}) {
          Problem p = problem(types.in, m, cols, k, n, op_b);
          p.out = types.out, p.compute = types.compute;
          f(*rung, p);
        }
      }
    }
  }
  EXPECT_GE(rungs, 4);
}

TEST(Choose, AForecastIsTheSumOfItsTerms) {
  for_each_answer([](const Rung& rung, const Problem& p) {
    for (int tile = 0; tile < rung.tiles; ++tile) {
      const Choice choice = rung.choose({p, kH200, tile});
      EXPECT_EQ(choice.tile, tile) << rung.id;
      double sum = 0;
      for (const Forecast::Term& term : choice.forecast) {
        EXPECT_GT(term.us, 0) << rung.id << ", " << p.brief() << ", " << term.name;
        sum += term.us;
      }
      EXPECT_GT(sum, 0.5) << "a launch alone takes more";
      EXPECT_NEAR(choice.forecast.us(), sum, 1e-9 * sum) << rung.id << ", " << p.brief();
    }
  });
}

TEST(Choose, TheTileTakenHasTheShortestForecastOrSaysWhyNot) {
  for_each_answer([](const Rung& rung, const Problem& p) {
    const Choice taken = rung.choose({p, kH200});
    double shortest = taken.forecast.us();
    for (int tile = 0; tile < rung.tiles; ++tile)
      shortest = std::min(shortest, rung.choose({p, kH200, tile}).forecast.us());
    if (std::string(taken.preference).empty()) {
      EXPECT_DOUBLE_EQ(taken.forecast.us(), shortest) << rung.id << ", " << p.brief();
    } else {
      EXPECT_LE(taken.forecast.us(), 1.035 * shortest) << rung.id << ", " << p.brief();
    }
    const Choice again = rung.choose({p, kH200, taken.tile});
    EXPECT_EQ(again.scratch_bytes, taken.scratch_bytes) << "asked for by its number, a tile is the same";
    EXPECT_DOUBLE_EQ(again.forecast.us(), taken.forecast.us());
  });
}

// 990 TFLOP/s of bf16 (twice that of e4m3, half of tf32) and 4.8 TB/s are all an H200 has: whoever forecasts more
// counts something wrong.
TEST(Choose, NothingIsForecastToBeFasterThanTheHardware) {
  for_each_answer([](const Rung& rung, const Problem& p) {
    const auto flops = 2.0 * static_cast<double>(p.m * p.n * p.k);
    const auto bytes = static_cast<double>((p.m + p.n) * p.k * size_of(p.in) + p.m * p.n * size_of(p.out));
    const double peak = 990e6 * 2 / static_cast<double>(size_of(p.in));
    const double us = rung.choose({p, kH200}).forecast.us();
    EXPECT_GE(us, 0.9 * flops / peak) << rung.id << ", " << p.brief();
    EXPECT_GE(us, 0.9 * bytes / 4.9e6) << rung.id << ", " << p.brief();
  });
}

TEST(Choose, MoreWorkIsNeverForecastToTakeMuchLess) {
  for_each_answer([](const Rung& rung, const Problem& p) {
    if (p.m % 64 != 0 || p.n % 64 != 0 || p.k % 64 != 0)
      return;  // twice an odd size is aligned, and may well be faster
    const double us = rung.choose({p, kH200}).forecast.us();
    for (const auto side : {&Problem::m, &Problem::n, &Problem::k}) {
      Problem more = p;
      more.*side *= 2;
      more.pack();
      // Twice the size may fill a wave that was nearly empty, or begin to be worth splitting; it does not save a
      // tenth.
      EXPECT_GE(rung.choose({more, kH200}).forecast.us(), 0.9 * us) << rung.id << ", " << more.brief();
    }
  });
}

TEST(Choose, MoreSMsAndAFasterClockTakeNoLonger) {
  for_each_answer([](const Rung& rung, const Problem& p) {
    const double us = rung.choose({p, kH200}).forecast.us();
    EXPECT_LE(us, 1.1 * rung.choose({p, {90, 66, 1980}}).forecast.us()) << rung.id << ", " << p.brief();
    EXPECT_NEAR(2 * us, rung.choose({p, {90, 132, 990}}).forecast.us(), 1e-6 * us) << rung.id << ", " << p.brief();
  });
}

TEST(Choose, PartialSumsHaveScratchMemoryAndWholeTilesNone) {
  for (const Rung* rung : emulated_ladder()) {
    if (rung->id != "hopper/59_summit" && rung->id != "tensor/39_mma_stream_k") continue;
    for (int tile = 0; tile < rung->tiles; ++tile) {
      // One tile of C and a long k, for 132 SMs; and k so short that nobody would split it.
      EXPECT_GE(rung->choose({problem(Type::bf16, 64, 64, 65536, n, t), kH200, tile}).scratch_bytes,
                2u * 64 * 64 * sizeof(float))
          << rung->id << "@" << tile;
      EXPECT_EQ(rung->choose({problem(Type::bf16, 64, 64, 256, n, t), kH200, tile}).scratch_bytes, 0u)
          << rung->id << "@" << tile;
    }
  }
}

// 232 of 264 tiles in the tail wave: splitting them makes two blocks of nearly every range, and took 0.94 ms on an
// H200 where whole tiles take 0.74.
TEST(Choose, ATailWaveThatIsNearlyFullIsNotSplitIntoBlocksThatQueue) {
  for (const Rung* rung : emulated_ladder()) {
    if (rung->id != "tensor/39_mma_stream_k") continue;
    Problem p = problem(Type::f32, 4096, 4096, 4096);
    p.compute = Compute::tf32;
    EXPECT_EQ(rung->choose({p, kH200}).scratch_bytes, 0u);
  }
}

bool packs(const Choice& choice) {
  return std::ranges::any_of(choice.forecast,
                             [](const auto& term) { return std::string(term.name) == "pack operands"; });
}

TEST(Choose, CopiesOfOperandsArePartOfTheScratchMemoryAndOfTheForecast) {
  const Problem even = problem(Type::bf16, 1000, 1000, 1024, n, t);
  Problem odd = even;
  odd.lda = 1025;
  EXPECT_FALSE(packs(choose(even, 0)));
  EXPECT_TRUE(packs(choose(odd, 0)));
  // A's rows begin at multiples of 128 bytes then, as they already do in `even`.
  EXPECT_EQ(choose(odd, 0).scratch_bytes - choose(even, 0).scratch_bytes, 1000u * 1024 * 2);
  EXPECT_GT(choose(odd, 0).forecast.us(), choose(even, 0).forecast.us());
  // Pointers at any address: both are copied.
  EXPECT_EQ(choose(even, 0, false).scratch_bytes - choose(even, 0).scratch_bytes, 2u * 1000 * 1024 * 2);
  // wgmma takes e4m3 only along k: B of nn is turned round, which of nt it need not be.
  EXPECT_TRUE(packs(choose(fast(1024, 1024, 1024, n, n), 0)));
  EXPECT_FALSE(packs(choose(fast(1024, 1024, 1024, n, t), 0)));
}

TEST(Choose, OneMatrixForAllProductsIsCopiedOnce) {
  Problem batch = problem(Type::bf16, 2001, 30, 2001, t, t, 3);
  const std::size_t own = choose(batch, 0).scratch_bytes;
  batch.stride_b = 0;
  EXPECT_EQ(own - choose(batch, 0).scratch_bytes, 2u * 30 * 2048 * 2);
}

// Threads fetch the operands of many tiny products that TMA cannot read; otherwise such operands are packed.
TEST(Choose, TinyOddBatchesAreFetchedAndOthersPacked) {
  const auto fetched = [](const Problem& p, bool aligned = true) {
    return std::string(summit().tile_name(choose(p, kAnyTile, aligned).tile).text).find(" fetched") !=
           std::string::npos;
  };
  EXPECT_TRUE(fetched(problem(Type::bf16, 7, 9, 11, n, n, 3000)));
  EXPECT_EQ(choose(problem(Type::bf16, 7, 9, 11, n, n, 3000)).scratch_bytes, 0u);
  EXPECT_FALSE(fetched(problem(Type::bf16, 63, 65, 127)));
  EXPECT_FALSE(fetched(problem(Type::bf16, 2047, 2047, 2047)));
  EXPECT_FALSE(fetched(problem(Type::bf16, 15664, 6, 8040, n, t)));
  EXPECT_FALSE(fetched(problem(Type::bf16, 16, 16, 16, n, t, 3000))) << "TMA can read them";
}

// Small products are for small tiles, until a long k or a large C is too much for them.
TEST(Choose, SmallProductsTakeTheRungForThem) {
  const auto small = [](const Problem& p) {
    const auto us = [&](const Rung& rung) { return rung.choose({p, test::kH200}).forecast.us(); };
    return us(test::small_products()) < us(summit());
  };
  EXPECT_TRUE(small(problem(Type::bf16, 5, 68, 9)));
  EXPECT_TRUE(small(problem(Type::bf16, 7, 9, 11, n, n, 3000)));
  EXPECT_TRUE(small(problem(Type::bf16, 5, 43, 74, t, n, 1030)));
  EXPECT_FALSE(small(problem(Type::bf16, 17, 1, 838, t, t)));
  EXPECT_FALSE(small(problem(Type::bf16, 822, 1131, 3274, t, n)));
  EXPECT_FALSE(small(problem(Type::bf16, 1024, 1024, 1024)));
}

// A warp has a tile of 16 x 16 where products are that small, and a block one of 64 x 64 where they are large.
TEST(Choose, SmallProductsTakeTilesOfTheirSize) {
  const auto tile = [](const Problem& p) {
    return std::string(test::small_products().tile_name(test::small_products().choose({p, test::kH200}).tile).text);
  };
  EXPECT_EQ(tile(problem(Type::bf16, 7, 9, 11, n, n, 3000)), "16x16, 4 a block");
  EXPECT_EQ(tile(problem(Type::bf16, 129, 192, 75, n, n, 1580)), "64x64, 1 a block");
}

// Two blocks on an SM, for products that wait more than they work.
TEST(Choose, BatchesOfSmallProductsArePaired) {
  const auto paired = [](const Problem& p) { return tile_for(p).find(" paired") != std::string::npos; };
  EXPECT_TRUE(paired(problem(Type::bf16, 32, 32, 32, n, t, 4096)));
  EXPECT_FALSE(paired(problem(Type::bf16, 256, 256, 256, n, t, 512)));
  EXPECT_FALSE(paired(problem(Type::bf16, 1024, 1024, 1024, n, t)));
}

// A contiguous vector is the same along k whichever way it is stored, and its leading dimension says nothing.
TEST(Choose, VectorsAreNotCopied) {
  EXPECT_FALSE(packs(choose(problem(Type::bf16, 4096, 1, 4096, n, n), 0)));
  EXPECT_FALSE(packs(choose(problem(Type::bf16, 1, 4096, 4096, t, t), 0)));
  EXPECT_FALSE(packs(choose(problem(Type::bf16, 1, 4096, 4001, n, n), 0)));
  EXPECT_TRUE(packs(choose(problem(Type::bf16, 2, 4096, 4001, n, n), 0)));
  Problem strided = problem(Type::bf16, 4096, 1, 4096, n, n);
  strided.ldb = 3;
  EXPECT_TRUE(packs(choose(strided, 0)));
}

TEST(Choose, LargeProblemsTakeLargeTilesAndSmallOnesSmall) {
  EXPECT_EQ(tile_for(problem(Type::bf16, 8192, 8192, 8192)), "128x256, cluster 2");
  EXPECT_EQ(tile_for(problem(Type::bf16, 1024, 1024, 1024)).substr(0, 3), "64x");
}

// A side of a few rows is that of a tile's columns, which can be as few as 16; for few columns others take as long.
TEST(Choose, TheShortSideIsThatOfTheColumns) {
  const std::string few = tile_for(problem(Type::bf16, 16, 2048, 512, n, t));
  EXPECT_TRUE(few.starts_with("64x16 ") || few.starts_with("64x32 ")) << few;
  EXPECT_NE(few.find(" turned"), std::string::npos) << few;
  const Problem cols = problem(Type::bf16, 16384, 16, 4096, n, t);
  EXPECT_LT(choose(cols, 22).forecast.us(), choose(cols, 46).forecast.us()) << "64x16, upright and turned";
}

// A few tiles of many k-steps: the blocks of a cluster share each, and one launch has the sums too.
TEST(Choose, DeepTilesAreSharedWithinClusters) {
  const Forecast forecast = choose(problem(Type::bf16, 256, 256, 8192, n, t)).forecast;
  bool within = false;
  for (const Forecast::Term& term : forecast) within = within || std::string(term.name) == "sums within clusters";
  EXPECT_TRUE(within);
}

TEST(Choose, PromotedSumsAreNotMadeInPingpong) {
  Problem p = fast(8192, 8192, 8192);
  p.compute = Compute::native;
  EXPECT_EQ(tile_for(p).find("pingpong"), std::string::npos);
}

// At the power limit the tile with the least energy wins, if it is nearly as fast; where memory is the limit, power
// is not.
TEST(Choose, LongWorkTakesTheTileWithTheLeastEnergy) {
  EXPECT_NE(std::string(choose(problem(Type::bf16, 4096, 4096, 4096)).preference).find("energy"), std::string::npos);
  EXPECT_STREQ(choose(problem(Type::bf16, 4096, 4096, 1408)).preference, "");
  EXPECT_STREQ(choose(problem(Type::bf16, 64, 24576, 16384, n, t)).preference, "");
}

int simt_tile(std::int64_t m, std::int64_t cols, std::int64_t batch, int sms, Type type = Type::f32) {
  for (const Rung* rung : emulated_ladder())
    if (rung->id == "simt/22_pipelined")
      return rung->choose({problem(type, m, cols, 1024, n, n, batch), {90, sms, 1980}}).tile;
  return -1;
}

TEST(Choose, ThePipelinedRungTakesTheTileWhoseBusiestSMIsDoneFirst) {
  // 512 blocks of 128x256 are 4 for the busiest of 132 SMs, 1024 of 128x128 are 8: as much work, a little slower.
  EXPECT_EQ(simt_tile(4096, 4096, 1, 132), 0);
  // 512 x 512: 8 blocks, 16, or 64; nobody has two.
  EXPECT_EQ(simt_tile(512, 512, 1, 132), 2);
  // 264 products of 128 x 128: two blocks of 128x128 on each SM, where half of every block of 128x256 would be idle.
  EXPECT_EQ(simt_tile(128, 128, 264, 132), 1);
  // The same 128 x 128 on one SM: of 128x128 four warps would keep half of its lanes busy, 64x64 uses all of them.
  EXPECT_EQ(simt_tile(128, 128, 1, 1), 2);
  // Tiles of f64 are half as wide.
  EXPECT_EQ(simt_tile(4096, 2048, 1, 132, Type::f64), 0);
  EXPECT_EQ(simt_tile(512, 256, 1, 132, Type::f64), 2);
}

// All SMs are busy where C is one tile, or a few, and k is long; and a tail wave that is nearly full is divided too.
TEST(Choose, F32IsDividedAlongKWhereTilesDoNotFillTheGpu) {
  const auto of = [](std::string_view id, std::int64_t m, std::int64_t cols, std::int64_t k, std::int64_t batch = 1) {
    for (const Rung* rung : emulated_ladder())
      if (rung->id == id) return rung->choose({problem(Type::f32, m, cols, k, n, n, batch), kH200});
    return Choice{};
  };
  const std::string_view whole = "simt/22_pipelined", divided = "simt/23_stream_k";
  EXPECT_LT(of(divided, 128, 128, 65536).forecast.us(), 0.05 * of(whole, 128, 128, 65536).forecast.us());
  // Two slots of scratch memory for each range, of a tile that is no smaller than this.
  const std::size_t on_all_sms = 2u * 132 * 64 * 64 * sizeof(float);
  EXPECT_GE(of(divided, 128, 128, 65536).scratch_bytes, on_all_sms);
  EXPECT_GE(of(divided, 128, 128, 65536, 3).scratch_bytes, on_all_sms) << "three tiles of a batch";
  const Choice large = of(divided, 4096, 4096, 4096);
  EXPECT_EQ(large.tile, 0);
  EXPECT_EQ(large.scratch_bytes, 2u * 132 * 128 * 256 * sizeof(float));
  EXPECT_EQ(of(divided, 128, 128, 64).scratch_bytes, 0u) << "k is so short that nobody would split it";
  EXPECT_EQ(of(divided, 8448, 4096, 4096).scratch_bytes, 0u) << "eight full waves";
}

// Of f32: a warp for a product that has a tile's size, teams that divide k where tiles are few, and the pipelined rung for
// what is large.
TEST(Choose, SmallProductsOfF32TakeTheRungForThem) {
  const auto rung = [](std::string_view id) {
    return *std::ranges::find_if(emulated_ladder(), [&](const Rung* one) { return one->id == id; });
  };
  const Rung &small = *rung("simt/25_small_products"), &large = *rung("simt/22_pipelined");
  const auto tile = [&](const Problem& p) -> std::string {
    const Choice one = small.choose({p, kH200}), other = large.choose({p, kH200});
    return one.forecast.us() < other.forecast.us() ? small.tile_name(one.tile).text : "";
  };
  EXPECT_EQ(tile(problem(Type::f32, 16, 16, 16, n, n, 4096)), "16x16x16 4x4, k by 2, 4 a block");
  EXPECT_EQ(tile(problem(Type::f32, 32, 32, 32, n, t, 4096)), "32x32x16 4x8, k by 1, 4 a block");
  EXPECT_EQ(tile(problem(Type::f32, 512, 512, 512)), "32x64x64 8x8, k by 8, 1 a block");
  EXPECT_EQ(tile(problem(Type::f32, 4096, 4096, 4096)), "");
  EXPECT_EQ(tile(problem(Type::f32, 512, 512, 512, n, n, 64)), "");
}

// A rung that takes one product at a time launches once for each.
TEST(Choose, ABatchOfLaunchesTakesAsLongAsAllOfThem) {
  for (const Rung* rung : emulated_ladder()) {
    if (rung->id != "tensor/39_mma_stream_k") continue;
    const double one = dispatch::candidate(*rung, problem(Type::bf16, 64, 64, 64), kH200).choice.forecast.us();
    const double ten =
        dispatch::candidate(*rung, problem(Type::bf16, 64, 64, 64, n, n, 10), kH200).choice.forecast.us();
    EXPECT_NEAR(ten, 10 * one, 1e-9 * ten);
  }
}

}  // namespace
}  // namespace cairn
