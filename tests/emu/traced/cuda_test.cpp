// cuda::barrier, cuda::pipeline and cuda::atomic under the race detector: what they do not order is reported with both
// lines, and there is no finding in the twins.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_cuda, name, bug, seed);
}

class CudaDetector : public testing::TestWithParam<Planted> {};

TEST_P(CudaDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(CudaDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, CudaDetector,
                         testing::Values(Planted{"barrier_arrives", Fault::race, "barrier store", "barrier load"},
                                         Planted{"barrier_made", Fault::race, "barrier made", "barrier used"},
                                         Planted{"barrier_twice", Fault::race, "made by each warp", nullptr},
                                         Planted{"barrier_before", Fault::race, "tied copy", "early read"},
                                         Planted{"barrier_other", Fault::race, "tied copy", "early read"},
                                         Planted{"barrier_left_to_one", Fault::race, "tied copy", "early read"},
                                         Planted{"barrier_own_word", Fault::race, "group copy", "own word"},
                                         Planted{"barrier_refill", Fault::race, "tied refill", "stage still read"},
                                         Planted{"pipeline_release", Fault::race, "produced", "consumed"},
                                         Planted{"pipeline_wait", Fault::race, "committed", "not waited for"},
                                         Planted{"pipeline_own", Fault::race, "own copy", "other's copy"},
                                         Planted{"primitives", Fault::race, "primitive copy", "primitive read"},
                                         Planted{"atomic_flag", Fault::race, "before the flag", "after the flag"},
                                         Planted{"atomic_last", Fault::race, "left by a block", "added up"}),
                         [](const auto& planted) { return std::string(planted.param.kernel); });

// After the wait of another thread the words are there, and still not this thread's to read.
TEST(CudaCopies, ThatAnotherThreadWaitedForAreNamedSo) {
  const std::string what = all(run("barrier_left_to_one", true).trace);
  EXPECT_NE(what.find("and memcpy_async copies to it at"), std::string::npos) << what;
  EXPECT_NE(what.find("with no wait on its barrier before"), std::string::npos) << what;
}

// Counted as cp.async is: a request of the warp to global memory, and one to shared memory.
TEST(CudaCopies, AreCountedAtTheirLine) {
  const Seen seen = run("barrier_refill", false);
  const Counters counters = at(seen.trace, "tied refill");
  EXPECT_EQ(counters.global_load_requests, 8u);
  EXPECT_EQ(counters.global_load_sectors, 32u);
}

}  // namespace
}  // namespace cairn::emu
