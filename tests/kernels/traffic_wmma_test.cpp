// What fragments, and the way warps share out a tile, do to memory: counted on 128 cubed, where nothing is masked.
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kSize = 128;
const char *const kSplit = "tensor/31_wmma_split_k", *const kStage2 = "tensor/32_wmma_tf32_stage2";
const char *const kStage3 = "tensor/33_wmma_tf32_stage3", *const kMultistage = "tensor/34_wmma_multistage";

bool is_tf32(const std::string& id) { return id == kStage2 || id == kStage3; }

Problem problem(const std::string& id, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem p = Problem::packed(is_tf32(id) ? Type::f32 : Type::bf16, Op::none, op_b, m, n, k);
  if (is_tf32(id)) p.compute = Compute::tf32;
  return p;
}

emu::Counters count_of(const std::string& id, Op op_b = Op::none, int tile = 0) {
  return count(id, problem(id, op_b, kSize, kSize, kSize), tile);
}

// Each element of A is fetched by every block of its row of blocks, and so it is for B: a tile four times as wide
// fetches a quarter.
TEST(TrafficWmma, WiderTilesFetchLess) {
  for (const Op op_b : {Op::none, Op::transpose}) {
    const emu::Counters narrow = count_of(kSplit, op_b), wide = count_of(kMultistage, op_b);
    EXPECT_EQ(narrow.global_load_sectors, 2 * kSize * kSize * (kSize / 32) * 2 / 32);
    EXPECT_EQ(wide.global_load_sectors, 2 * kSize * kSize * 2 / 32);
    for (const emu::Counters& c : {narrow, wide}) {
      EXPECT_EQ(per(c.global_load_sectors, c.global_load_requests), 16);  // 16 bytes a lane, all of every sector
      EXPECT_EQ(c.global_store_sectors, kSize * kSize * 2 / 32);
      EXPECT_EQ(per(c.global_store_sectors, c.global_store_requests), 2);  // 32 neighbours of 2 bytes
    }
    EXPECT_EQ(narrow.async_copy_requests, 0u);
    EXPECT_EQ(wide.async_copy_requests, wide.global_load_requests);
  }
}

// A fragment of 16 x 16 is 512 bytes, four wavefronts. For 16 steps of k a warp of 31 loads two of A and two of B for
// four products of fragments, one of 34 four and four for sixteen, or two and four for eight. At the end 31 reads
// each sum of each warp, and 34 each sum.
TEST(TrafficWmma, FragmentsServeMoreProductsInLargerWarpTiles) {
  constexpr std::uint64_t kProducts = kSize * kSize * kSize / (16 * 16 * 16), kSums = kSize * kSize / kWarp;
  struct {
    const char* id;
    int tile;
    std::uint64_t fragments, products, reads;
  } const rows[] = {{kSplit, 0, 4, 4, 2 * kSums},
                    {kSplit, 1, 4, 4, 4 * kSums},
                    {kMultistage, 0, 8, 16, kSums},
                    {kMultistage, 1, 6, 8, kSums},
                    {kMultistage, 2, 6, 8, kSums}};
  for (const auto& row : rows) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      const emu::Counters c = count_of(row.id, op_b, row.tile);
      const std::uint64_t fragments = kProducts * row.fragments / row.products;
      EXPECT_EQ(c.mma_instructions, 2 * kProducts) << row.id;  // of 16 x 8 sums each
      EXPECT_EQ(c.shared_load_requests, fragments + row.reads) << row.id << "@" << row.tile;
      EXPECT_EQ(c.shared_load_wavefronts, 4 * fragments + row.reads) << row.id << "@" << row.tile;
    }
  }
}

// A fragment of 16 x 8 words goes word by word, four loads of a wavefront each. For 8 steps of k a warp of 32 x 64
// loads two of A and four of B, one of 64 x 64 four and four.
TEST(TrafficWmma, Tf32FragmentsGoWordByWord) {
  constexpr std::uint64_t kProducts = kSize * kSize * kSize / (16 * 16 * 8), kSums = kSize * kSize / kWarp;
  const auto expect = [&](const emu::Counters& c, std::uint64_t loads) {
    EXPECT_EQ(c.mma_instructions, 4 * kProducts);  // of 16 x 8 sums each, 4 deep
    EXPECT_EQ(c.shared_load_requests, loads + kSums);
    EXPECT_EQ(c.shared_load_wavefronts, loads + kSums);
  };
  expect(count_of(kStage2), kProducts / 8 * 6 * 4);
  expect(count_of(kStage2, Op::none, 1), kProducts / 16 * 8 * 4);
  for (int tile = 0; tile < 5; ++tile) expect(count_of(kStage3, Op::none, tile), kProducts / 8 * 6 * 4);
}

// Whatever the number of stages and the depth of a tile, the same sectors come the same way.
TEST(TrafficWmma, StagesChangeWhenAndNotWhat) {
  for (int tile = 0; tile < 7; ++tile) {
    const emu::Counters c = tile < 2 ? count_of(kStage2, Op::none, tile) : count_of(kStage3, Op::none, tile - 2);
    EXPECT_EQ(c.async_copy_requests, 2 * kSize * kSize / (4 * kWarp)) << tile;
    EXPECT_EQ(c.async_copy_sectors, 2 * kSize * kSize * 4 / 32) << tile;
    EXPECT_EQ(c.global_load_requests, c.async_copy_requests) << tile;
    EXPECT_EQ(per(c.global_store_sectors, c.global_store_requests), 4) << tile;
  }
}

// 31: before and after each step, and before the sums are added up. The others: one a step; where the sums go through
// the memory of the stages, one more.
TEST(TrafficWmma, Barriers) {
  EXPECT_EQ(count_of(kSplit).barriers, 16 * (2 * kSize / 32 + 1));
  EXPECT_EQ(count_of(kSplit, Op::none, 1).barriers, 16 * (2 * kSize / 64 + 1));
  EXPECT_EQ(count_of(kStage2).barriers, kSize / 8);
  EXPECT_EQ(count_of(kStage3).barriers, kSize / 16 + 1);
  EXPECT_EQ(count_of(kStage3, Op::none, 4).barriers, kSize / 8 + 1);
  for (int tile = 0; tile < 3; ++tile) EXPECT_EQ(count_of(kMultistage, Op::none, tile).barriers, kSize / 32 + 1);
}

// Padding parts the rows of a fragment, and lanes that copy go down a narrow tile: no two of them meet in a bank. A
// copy of 16 bytes a lane takes four wavefronts, half a fragment of sums (a pair of words a lane) two.
TEST(TrafficWmma, NoBankConflictAnywhere) {
  for (const char* id : {kSplit, kStage2, kStage3, kMultistage}) {
    for (int tile = 0; tile < 2; ++tile) {
      const emu::Counters c = count_of(id, is_tf32(id) ? Op::none : Op::transpose, tile);
      EXPECT_EQ(c.shared_load_bank_conflicts, 0u) << id << "@" << tile;
      EXPECT_EQ(c.shared_store_bank_conflicts, 0u) << id << "@" << tile;
      const std::uint64_t sums = c.shared_store_requests - c.global_load_requests;
      EXPECT_EQ(c.shared_store_wavefronts, 4 * c.global_load_requests + 2 * sums) << id << "@" << tile;
      EXPECT_EQ(sums, kSize * kSize / (2 * kWarp) * (id == kSplit ? 2u << tile : 1)) << id << "@" << tile;
    }
  }
}

// An odd leading dimension. Words of 4 bytes still go by asynchronous copies, one by one; those of 2 go through
// registers.
TEST(TrafficWmma, OddRowsGoElementByElement) {
  for (const char* id : {kSplit, kStage2, kStage3, kMultistage}) {
    Problem p = problem(id, Op::none, kSize, kSize, 32);
    p.lda += 1;
    const emu::Counters c = count(id, p);
    const std::uint64_t elements = id == kSplit ? 2 * kSize * 32 * (kSize / 32) : 2 * kSize * 32;
    EXPECT_EQ(c.global_load_requests, elements / kWarp) << id;
    EXPECT_EQ(c.async_copy_requests, is_tf32(id) ? elements / kWarp : 0) << id;
  }
}

// All tiles of all four: blocks inside of C and at its edges, an odd number of tiles, a part of one, and odd rows.
TEST(TrafficWmma, CleanUnderAllDetectors) {
  const int tiles[] = {2, 2, 5, 3};
  const char* const ids[] = {kSplit, kStage2, kStage3, kMultistage};
  for (int i = 0; i < 4; ++i) {
    for (int tile = 0; tile < tiles[i]; ++tile) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        if (op_b != Op::none && is_tf32(ids[i])) continue;
        expect_clean(ids[i], tile, problem(ids[i], op_b, 128, 136, 5 * 32 + 8), 1);
        Problem odd = problem(ids[i], op_b, 30, 150, 3 * 32 + 5);
        odd.lda += 1, odd.ldc += 3;
        expect_clean(ids[i], tile, odd, 2);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
