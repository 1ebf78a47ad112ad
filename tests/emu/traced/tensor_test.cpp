// ldmatrix, wmma and mma under the detectors: mistakes are named at their lines, the twins are silent, and what is
// counted is what can be counted by hand.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_tensor, name, bug, seed);
}

class TensorDetector : public testing::TestWithParam<Planted> {};

TEST_P(TensorDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(TensorDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, TensorDetector,
    testing::Values(Planted{"matrix_not_waited", Fault::race, "ldmatrix too early", "copied for ldmatrix"},
                    Planted{"matrix_refilled", Fault::race, "ldmatrix still reads", "refilled under ldmatrix"},
                    Planted{"matrix_no_syncwarp", Fault::race, "ldmatrix of a store", "stored for ldmatrix"},
                    Planted{"matrix_unset", Fault::uninitialized, "ldmatrix of unset", nullptr},
                    Planted{"matrix_past_the_tile", Fault::out_of_bounds, "ldmatrix past the tile", nullptr},
                    Planted{"tile_no_syncwarp", Fault::race, "tile stored", "tile read at once"},
                    Planted{"tile_not_met", Fault::race, "tile loaded", "stored for a tile"}),
    [](const auto& planted) { return std::string(planted.param.kernel); });

// A matrix is one wavefront if its rows lie in different groups of four banks, and as many as are in one otherwise.
TEST(TensorCounters, OfMatrices) {
  const Trace trace = run("matrices", false).trace;
  EXPECT_EQ(all(trace), "");
  struct Expected {
    const char* word;
    std::uint64_t wavefronts, conflicts, bytes;
  };
  for (const Expected& e :
       {Expected{"unpadded", 32, 28, 512}, Expected{"padded rows", 4, 0, 512}, Expected{"swizzled", 4, 0, 512},
        Expected{"narrow rows", 8, 4, 512}, Expected{"one matrix wide", 32, 28, 512}, Expected{"one row", 4, 0, 512},
        Expected{"two matrices", 2, 0, 256}, Expected{"one matrix", 1, 0, 128}}) {
    const Counters c = at(trace, e.word);
    EXPECT_EQ(c.shared_load_requests, 1u) << e.word;
    EXPECT_EQ(c.shared_load_wavefronts, e.wavefronts) << e.word;
    EXPECT_EQ(c.shared_load_bank_conflicts, e.conflicts) << e.word;
    EXPECT_EQ(c.shared_load_bytes, e.bytes) << e.word;
  }
}

// From shared memory A and B come by ldmatrix. From global memory a lane reads, by rows, four pairs of matrix_a, and
// eight single elements of matrix_b.
TEST(TensorCounters, OfTilesAndProducts) {
  const Trace trace = run("products", false).trace;
  EXPECT_EQ(all(trace), "");
  for (const char* word : {"a by rows", "b by rows"}) {
    const Counters c = at(trace, word);
    EXPECT_EQ(c.shared_load_requests, 1u) << word;
    EXPECT_EQ(c.shared_load_wavefronts, 8u) << word;  // rows of 32 bytes
    EXPECT_EQ(c.shared_load_bytes, 512u) << word;
  }
  EXPECT_EQ(at(trace, "a from afar").global_load_requests, 4u);
  EXPECT_EQ(at(trace, "a from afar").global_load_sectors, 4u * 8);
  EXPECT_EQ(at(trace, "a from afar").global_load_bytes, 512u);
  EXPECT_EQ(at(trace, "b from afar").global_load_requests, 8u);
  EXPECT_EQ(at(trace, "b from afar").global_load_bytes, 512u);
  EXPECT_EQ(at(trace, "c by rows").shared_store_requests, 4u);
  EXPECT_EQ(at(trace, "c by rows").shared_store_bytes, 1024u);
  EXPECT_EQ(at(trace, "wmma").mma_instructions, 2u);
  EXPECT_EQ(at(trace, "wmma").mma_flops, 2u * 16 * 16 * 16);
  EXPECT_EQ(at(trace, "mma").mma_instructions, 3u);
  EXPECT_EQ(at(trace, "mma").mma_flops, 3u * 2 * 16 * 8 * 8);
  EXPECT_EQ(trace.kernels.at(0).counters.mma_instructions, 6u);
}

}  // namespace
}  // namespace cairn::emu
