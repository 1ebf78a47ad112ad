// Named barriers, atomics and volatile flags under the race detector: what they do not order is reported with both
// lines, there is no finding in the twins, and a wait that never ends is reported.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_order, name, bug, seed);
}

class OrderDetector : public testing::TestWithParam<Planted> {};

TEST_P(OrderDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(OrderDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, OrderDetector,
    testing::Values(Planted{"arrives", Fault::race, "after the arrival", "behind the barrier"},
                    Planted{"ring", Fault::race, "refilled too soon", "used by two"},
                    Planted{"same_word", Fault::race, "twice", nullptr},
                    Planted{"broadcast", Fault::race, "read by all", "written by one"},
                    Planted{"broadcast_by_halves", Fault::race, "read by all", "written by one"},
                    Planted{"wide", Fault::race, "wide store", "wide load"},
                    Planted{"halves", Fault::race, "a half", "both halves"},
                    Planted{"handed_within", Fault::race, "left within", "taken within"},
                    Planted{"too_soon", Fault::race, "left late", "taken too soon"},
                    Planted{"others_too_soon", Fault::race, "left later", "taken by another"},
                    Planted{"polled", Fault::race, "left for a poll", "taken after a poll"},
                    Planted{"polled_within", Fault::race, "left for a neighbour", "taken from a neighbour"},
                    Planted{"plain_flag", Fault::race, "plain store of a flag", "poll of a flag"},
                    Planted{"old_habit", Fault::race, "no longer in step", "and its store"}),
    [](const auto& planted) { return std::string(planted.param.kernel); });

TEST(Counters, LanesThatGoDifferentWaysAreDifferentRequests) {
  const Trace trace = run("sides", false).trace;
  EXPECT_EQ(at(trace, "low side").global_load_requests, 1u);
  EXPECT_EQ(at(trace, "low side").global_load_bytes, 64u);
  EXPECT_EQ(at(trace, "high side").global_load_requests, 1u);
  EXPECT_EQ(at(trace, "high side").global_load_bytes, 32u);
}

TEST(Polling, AVolatileFlagThatNobodySetsIsReported) {
  const Seen seen = run("never", false);
  const std::string& message = seen.failure.message();
  EXPECT_NE(message.find("stuck, no thread of any running block has changed anything"), std::string::npos) << message;
  const auto poll = message.find("thread 3: polling with a volatile load, ");
  ASSERT_NE(poll, std::string::npos) << message;
  EXPECT_NE(message.find("order_kernels.cu:" + std::to_string(line_of("for ever")), poll), std::string::npos)
      << message;
}

}  // namespace
}  // namespace cairn::emu
