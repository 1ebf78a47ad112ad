// Each lesson of the ladder as a number: what a rung's idea does to sectors, wavefronts and barriers, counted by the
// traced emulator; and every rung clean under its detectors.
#include <string>

#include <gtest/gtest.h>

#include "lab/trace/run.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kWarp = 32;

emu::Counters count(const std::string& id, std::int64_t size) {
  const bool moves = id.starts_with("transpose");
  const Problem p = Problem::packed(Type::f32, moves ? Op::transpose : Op::none, Op::none, size, size, size);
  const Traced traced = trace_rung(id, 0, p, 1, false);
  EXPECT_EQ(traced.failure, "") << id;
  return traced.trace.kernels.at(0).counters;
}

double per(std::uint64_t cost, std::uint64_t requests) {
  return static_cast<double>(cost) / static_cast<double>(requests);
}

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

class Clean : public testing::TestWithParam<const char*> {};

// Edges included, in several orders of threads.
TEST_P(Clean, UnderAllDetectors) {
  const std::string id = GetParam();
  const bool moves = id.starts_with("transpose") || id == "probe/copy";
  const Op op = id.starts_with("transpose") ? Op::transpose : Op::none;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Problem p = Problem::packed(Type::f32, op, Op::none, 45, 70, moves ? 70 : 37);
    const Traced traced = trace_rung(id, 0, p, seed, true);
    EXPECT_EQ(traced.failure, "");
    for (const emu::Finding& finding : traced.trace.findings)
      ADD_FAILURE() << emu::name(finding.fault) << ": " << finding.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Rungs, Clean,
                         testing::Values("probe/copy", "transpose/1_write_coalesced", "transpose/2_read_coalesced",
                                         "transpose/3_shared_tile", "transpose/4_padded_tile", "simt/01_naive",
                                         "simt/02_coalesced", "simt/03_coalesced_1d", "simt/04_block_tile"),
                         [](const auto& rung) {
                           std::string name = rung.param;
                           for (char& c : name) c = c == '/' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace cairn::lab::trace
