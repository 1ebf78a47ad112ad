// wgmma and stmatrix under the detectors: mistakes are named at their lines, the twins are silent, and what is
// counted is what can be counted by hand.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_wgmma, name, bug, seed);
}

class WgmmaDetector : public testing::TestWithParam<Planted> {};

TEST_P(WgmmaDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(WgmmaDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, WgmmaDetector,
    testing::Values(Planted{"operand_overwritten", Fault::race, "wgmma issued", "operand overwritten"},
                    Planted{"operand_no_fence", Fault::race, "wgmma issued", "operand not fenced"},
                    Planted{"operand_no_barrier", Fault::race, "wgmma issued", "operand not ordered"},
                    Planted{"operand_unset", Fault::uninitialized, "wgmma issued", nullptr},
                    Planted{"operand_refilled", Fault::race, "wgmma issued", "operand refilled"},
                    Planted{"stage_freed", Fault::race, "stage multiplied", "stage filled again"},
                    Planted{"rows_no_syncwarp", Fault::race, "rows stored", "rows read"},
                    Planted{"rows_not_met", Fault::race, "rows stored again", "rows still read"},
                    Planted{"rows_past_the_end", Fault::out_of_bounds, "row past the end", nullptr}),
    [](const auto& planted) { return std::string(planted.param.kernel); });

TEST(WgmmaCounters, OfProductsAndStoredRows) {
  const Trace trace = run("group_counts", false).trace;
  EXPECT_EQ(all(trace), "");
  EXPECT_EQ(at(trace, "wgmma issued").mma_instructions, 3u);
  EXPECT_EQ(at(trace, "wgmma issued").mma_flops, 3u * 2 * 64 * 8 * 16);
  struct Expected {
    const char* word;
    std::uint64_t wavefronts, conflicts, bytes;
  };
  for (const Expected& e : {Expected{"stored apart", 32, 28, 512}, Expected{"stored padded", 4, 0, 512},
                            Expected{"two stored", 2, 0, 256}}) {
    const Counters c = at(trace, e.word);
    EXPECT_EQ(c.shared_store_requests, 1u) << e.word;
    EXPECT_EQ(c.shared_store_wavefronts, e.wavefronts) << e.word;
    EXPECT_EQ(c.shared_store_bank_conflicts, e.conflicts) << e.word;
    EXPECT_EQ(c.shared_store_bytes, e.bytes) << e.word;
  }
}

}  // namespace
}  // namespace cairn::emu
