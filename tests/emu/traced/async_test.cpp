// Asynchronous copies under the detectors: every way to touch a tile too early is named at both of its lines, the
// twins are silent, and what a copy costs is counted.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_async, name, bug, seed);
}

class AsyncDetector : public testing::TestWithParam<Planted> {};

TEST_P(AsyncDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(AsyncDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, AsyncDetector,
    testing::Values(Planted{"short_wait", Fault::race, "not arrived", "issued"},
                    Planted{"early_refill", Fault::race, "still read", "refilled"},
                    Planted{"no_barrier", Fault::race, "read by another", "arrived for one"},
                    Planted{"late_wait", Fault::race, "read at once", "waited for late"},
                    Planted{"counted_refill", Fault::race, "read before", "refilled after"},
                    Planted{"stored_over", Fault::race, "in flight", "stored over"},
                    Planted{"copied_over", Fault::race, "first copy", "second copy"},
                    Planted{"copy_past_the_end", Fault::out_of_bounds, "copy past the end", nullptr},
                    Planted{"copy_past_the_tile", Fault::out_of_bounds, "copy past the tile", nullptr},
                    Planted{"copy_to_global", Fault::out_of_bounds, "copy to global", nullptr},
                    Planted{"copy_of_unset", Fault::uninitialized, "copy of unset", nullptr}),
    [](const auto& planted) { return std::string(planted.param.kernel); });

// The words by which the three mistakes of a pipeline are told apart.
TEST(AsyncFindings, SayWhatIsMissing) {
  EXPECT_NE(all(run("short_wait", true).trace).find("has arrived: its wait and then a barrier must come first"),
            std::string::npos)
      << all(run("short_wait", true).trace);
  EXPECT_NE(all(run("late_wait", true).trace).find("and has waited for that, with nothing between the wait and this"),
            std::string::npos)
      << all(run("late_wait", true).trace);
  EXPECT_NE(all(run("stored_over", true).trace).find("while the copy is in flight"), std::string::npos);
  EXPECT_NE(all(run("copied_over", true).trace).find("has not been waited for"), std::string::npos);
}

// A copy is a global load and a shared store.
TEST(AsyncCounters, OfKnownPatterns) {
  const Trace trace = run("copies", false).trace;
  EXPECT_EQ(all(trace), "");
  struct Expected {
    const char* word;
    std::uint64_t sectors, loaded, wavefronts, conflicts;
  };
  for (const Expected& e : {Expected{"16 bytes", 16, 512, 4, 0}, Expected{"one bank", 4, 128, 32, 31},
                            Expected{"padded", 4, 128, 1, 0}, Expected{"half", 2, 64, 1, 0}}) {
    const Counters c = at(trace, e.word);
    EXPECT_EQ(c.async_copy_requests, 1u) << e.word;
    EXPECT_EQ(c.async_copy_sectors, e.sectors) << e.word;
    EXPECT_EQ(c.global_load_requests, 1u) << e.word;
    EXPECT_EQ(c.global_load_sectors, e.sectors) << e.word;
    EXPECT_EQ(c.global_load_bytes, e.loaded) << e.word;
    EXPECT_EQ(c.shared_store_requests, 1u) << e.word;
    EXPECT_EQ(c.shared_store_wavefronts, e.wavefronts) << e.word;
    EXPECT_EQ(c.shared_store_bank_conflicts, e.conflicts) << e.word;
  }
  EXPECT_EQ(trace.kernels.at(0).counters.async_copy_requests, 4u);
  EXPECT_EQ(trace.kernels.at(0).counters.shared_load_requests, 4u);
}

}  // namespace
}  // namespace cairn::emu
