// mbarriers, TMA and clusters under the detectors: every access that is too early is reported with both lines, there
// is no finding in the twins, and TMA's bytes are counted.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_sm90, name, bug, seed);
}

class Sm90Detector : public testing::TestWithParam<Planted> {};

TEST_P(Sm90Detector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(Sm90Detector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, Sm90Detector,
    testing::Values(Planted{"missing_wait", Fault::race, "used too early", "loaded"},
                    Planted{"wrong_parity", Fault::race, "used too early", "loaded"},
                    Planted{"wrong_barrier", Fault::race, "landed for others", "waited for another"},
                    Planted{"refill_unasked", Fault::race, "refilled unasked", "still used"},
                    Planted{"unfenced", Fault::race, "stored unfenced", "sent unfenced"},
                    Planted{"fenced_by_another", Fault::race, "stored unfenced", "sent unfenced"},
                    Planted{"reused_by_others", Fault::race, "used again", "still sent"},
                    Planted{"reused_by_itself", Fault::race, "used again", "still sent"},
                    Planted{"stored_under", Fault::race, "under way", "stored under it"},
                    Planted{"unmade", Fault::race, "made", "used unmade"},
                    Planted{"never_released", Fault::barrier, nullptr, nullptr},
                    Planted{"too_few_bytes", Fault::failed, nullptr, nullptr},
                    Planted{"box_past_the_end", Fault::out_of_bounds, "box", nullptr},
                    Planted{"box_of_unset", Fault::uninitialized, "box", nullptr},
                    Planted{"refill_of_peer", Fault::race, "refilled for both", nullptr},
                    Planted{"send_again", Fault::race, "sent again", "read by the peer"},
                    Planted{"left_for_peer", Fault::race, "left for the peer", "taken by the peer"},
                    Planted{"exits_early", Fault::failed, nullptr, nullptr}),
    [](const auto& planted) { return std::string(planted.param.kernel); });

void expect_said(const std::string& name, const std::string& words) {
  const Seen seen = run(name, true);
  const std::string text = all(seen.trace) + seen.failure.message();
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

// The words by which the mistakes are told apart.
TEST(Sm90Findings, SayWhatIsMissing) {
  expect_said("wrong_barrier", "with no wait on its barrier before");
  expect_said("unfenced", "with no fence_proxy_async() of its own between that and the barrier that orders the two");
  expect_said("fenced_by_another", "with no fence_proxy_async() of its own between");
  expect_said("reused_by_others", "before it is done: its wait must come first");
  expect_said("reused_by_itself", "the same thread writes it");
  expect_said("stored_under", "while the copy is in flight");
  expect_said("never_released", "parity 0 (1 arrival is missing)");
  expect_said("too_few_bytes", "it expects 128 bytes, and what has been issued");
  expect_said("refill_of_peer", "another block of the cluster copies to");
  expect_said("exits_early", "a cluster_sync() must hold it back");
}

TEST(Sm90Findings, AnArrivalHandsOnWhatTheBlockHasWritten) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Seen seen = run("told_to_peer", false, seed);
    EXPECT_EQ(all(seen.trace) + seen.failure.message(), "") << "seed " << seed;
  }
}

TEST(Sm90Counters, OfOneBox) {
  const Trace trace = run("counted", false).trace;
  EXPECT_EQ(all(trace), "");
  const Counters load = at(trace, "counted load"), store = at(trace, "counted store");
  EXPECT_EQ(load.tma_load_requests, 1u);
  EXPECT_EQ(load.tma_load_bytes, 256u);
  EXPECT_EQ(load.tma_load_sectors, 8u);
  EXPECT_EQ(load.global_load_sectors, 8u);
  EXPECT_EQ(load.global_load_bytes, 256u);
  EXPECT_EQ(store.tma_store_requests, 1u);
  EXPECT_EQ(store.tma_store_bytes, 256u);
  EXPECT_EQ(store.tma_store_sectors, 4u);
  EXPECT_EQ(store.global_store_sectors, 4u);  // one row, four elements of it outside
  EXPECT_EQ(store.global_store_bytes, 28u * 4);
  const Counters& whole = trace.kernels.at(0).counters;
  EXPECT_EQ(whole.tma_load_requests, 1u);
  EXPECT_EQ(whole.global_load_sectors, 8u);
  EXPECT_EQ(whole.global_load_requests, 1u);
  EXPECT_EQ(whole.shared_store_requests, 0u);
}

}  // namespace
}  // namespace cairn::emu
