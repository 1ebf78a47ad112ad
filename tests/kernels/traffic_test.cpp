// Each lesson of the ladder as a number: what a rung's idea does to sectors, wavefronts and barriers, counted by the
// traced emulator; and every rung clean under its detectors.
#include "tests/kernels/traffic.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "lab/verify/case.hpp"

namespace cairn::lab::trace {
namespace {

// The sectors of one load, by the line that makes it: A is the first named in the kernel's source, B the second.
TEST(Traffic, NaiveScattersALoadsOverARowEach) {
  const emu::Counters c = count("simt/01_naive", 128);
  EXPECT_EQ(c.global_load_requests, 2 * 128 * 128 * 128 / kWarp);
  EXPECT_DOUBLE_EQ(per(c.global_load_sectors, c.global_load_requests), (32 + 1) / 2.0);  // A, and B a broadcast
  EXPECT_DOUBLE_EQ(per(c.global_store_sectors, c.global_store_requests), 32);
}

TEST(Traffic, CoalescedReadsWhatItUses) {
  const emu::Counters c = count("simt/02_coalesced", 128);
  EXPECT_EQ(c.global_load_requests, 2 * 128 * 128 * 128 / kWarp);
  EXPECT_DOUBLE_EQ(per(c.global_load_sectors, c.global_load_requests), (1 + 4) / 2.0);
  EXPECT_DOUBLE_EQ(per(c.global_store_sectors, c.global_store_requests), 4);
}

TEST(Traffic, AOneDimensionalBlockTouchesTheSame) {
  const emu::Counters two = count("simt/02_coalesced", 128), one = count("simt/03_coalesced_1d", 128);
  EXPECT_EQ(one.global_load_requests, two.global_load_requests);
  EXPECT_EQ(one.global_load_sectors, two.global_load_sectors);
  EXPECT_EQ(one.global_store_sectors, two.global_store_sectors);
}

TEST(Traffic, ABlockTileCutsGlobalLoadsByItsWidth) {
  const emu::Counters before = count("simt/03_coalesced_1d", 128), after = count("simt/04_block_tile", 128);
  EXPECT_EQ(before.global_load_requests, 32 * after.global_load_requests);
  EXPECT_DOUBLE_EQ(per(after.global_load_sectors, after.global_load_requests), 4);
  // In their place two shared loads for every multiply-add, none with a conflict, and two barriers a tile.
  EXPECT_EQ(after.shared_load_requests, 2 * 128 * 128 * 128 / kWarp);
  EXPECT_EQ(after.shared_load_bank_conflicts, 0u);
  EXPECT_EQ(after.barriers, 2u * (128 / 32) * (128 / 32) * (128 / 32));
}

TEST(Traffic, ATransposeScattersOneSide) {
  const emu::Counters one = count("transpose/1_write_coalesced", 128), two = count("transpose/2_read_coalesced", 128);
  EXPECT_DOUBLE_EQ(per(one.global_load_sectors, one.global_load_requests), 32);
  EXPECT_DOUBLE_EQ(per(one.global_store_sectors, one.global_store_requests), 4);
  EXPECT_DOUBLE_EQ(per(two.global_load_sectors, two.global_load_requests), 4);
  EXPECT_DOUBLE_EQ(per(two.global_store_sectors, two.global_store_requests), 32);
}

TEST(Traffic, ASharedTileCoalescesBothAndPaysInBanksUntilItIsPadded) {
  const emu::Counters tile = count("transpose/3_shared_tile", 128), padded = count("transpose/4_padded_tile", 128);
  for (const emu::Counters& c : {tile, padded}) {
    EXPECT_DOUBLE_EQ(per(c.global_load_sectors, c.global_load_requests), 4);
    EXPECT_DOUBLE_EQ(per(c.global_store_sectors, c.global_store_requests), 4);
  }
  EXPECT_DOUBLE_EQ(per(tile.shared_load_wavefronts, tile.shared_load_requests), 32);
  EXPECT_DOUBLE_EQ(per(padded.shared_load_wavefronts, padded.shared_load_requests), 1);
  EXPECT_EQ(padded.shared_load_bank_conflicts + padded.shared_store_bank_conflicts, 0u);
}

class Clean : public testing::TestWithParam<const Rung*> {};

// Sizes that fit no tile, packed; the same with rows on boundaries of 16 bytes, for vector paths; and whole tiles of
// 128 among the edges. Of the first types that the rung takes.
std::vector<Problem> clean_problems(const Rung& rung) {
  const bool moves = rung.kind == RungKind::transpose || rung.kind == RungKind::copy;
  const Op op = rung.kind == RungKind::transpose ? Op::transpose : Op::none;
  const Types& types = rung.types[0];
  const auto packed = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    Problem p = Problem::packed(types.in, op, Op::none, m, n, moves ? n : k);
    p.out = types.out, p.compute = types.compute;
    return p;
  };
  Problem aligned = packed(45, 70, 37);
  const std::int64_t piece = 16 / size_of(types.in);
  for (std::int64_t* ld : {&aligned.lda, &aligned.ldb, &aligned.ldc}) *ld = (*ld + piece - 1) / piece * piece;
  std::vector<Problem> problems = {packed(45, 70, 37), aligned, packed(140, 132, 36)};
  for (Problem& p : problems) p = verify::with_rows(p, rung.row_alignment);
  return problems;
}

// Every tile of every rung, edges included, in several orders of threads; a tile of a long menu sees each problem in one
// of them.
TEST_P(Clean, UnderAllDetectors) {
  const Rung& rung = *GetParam();
  for (int tile = 0; tile < rung.tiles; ++tile) {
    std::uint64_t turn = static_cast<std::uint64_t>(tile);
    for (const Problem& p : clean_problems(rung)) {
      ++turn;
      for (const std::uint64_t seed : {1, 2, 3}) {
        if (rung.tiles > 4 && seed != 1 + turn % 3) continue;
        const Traced traced = trace_rung(std::string(rung.id), tile, p, seed, {});
        EXPECT_EQ(traced.failure, "") << p.brief();
        for (const emu::Finding& finding : traced.trace.findings)
          ADD_FAILURE() << p.brief() << ", tile " << tile << ", " << emu::name(finding.fault) << ": " << finding.what;
      }
    }
  }
}

std::vector<const Rung*> checked_rungs() {
  std::vector<const Rung*> rungs;
  for (const Rung* rung : emulated_ladder()) {
    if (rung->kind != RungKind::probe) rungs.push_back(rung);
  }
  return rungs;
}

INSTANTIATE_TEST_SUITE_P(Rungs, Clean, testing::ValuesIn(checked_rungs()), [](const auto& rung) {
  std::string name(rung.param->id);
  for (char& c : name) c = c == '/' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace cairn::lab::trace
