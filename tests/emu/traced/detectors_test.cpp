// Every detector with a kernel that has the bug, which it must name at the right lines, and a twin that has not, on
// which all must be silent; and the counters, on patterns whose numbers are known.
#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) { return watch(planted::run, name, bug, seed); }

class Detector : public testing::TestWithParam<Planted> {};

TEST_P(Detector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(Detector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, Detector,
                         testing::Values(Planted{"refill", Fault::race, "store", "load"},
                                         Planted{"stages", Fault::race, "refill", "use"},
                                         Planted{"past_the_end", Fault::out_of_bounds, "past the end", nullptr},
                                         Planted{"past_the_tile", Fault::out_of_bounds, "past the tile", nullptr},
                                         Planted{"vectors", Fault::misaligned, "vector", nullptr},
                                         Planted{"registers", Fault::register_array, "index", nullptr},
                                         Planted{"unset_shared", Fault::uninitialized, "unset", nullptr},
                                         Planted{"early_return", Fault::barrier, nullptr, nullptr},
                                         Planted{"sum_up", Fault::race, "blocks", nullptr},
                                         Planted{"handed_on", Fault::race, "left", "taken"},
                                         Planted{"neighbours", Fault::race, "lane store", "lane load"}),
                         [](const auto& planted) { return std::string(planted.param.kernel); });

TEST(Detectors, TheBarrierThatSomeSkipIsNamedInItsReport) {
  const Seen seen = run("early_return", true);
  EXPECT_NE(seen.failure.message().find("kernels.cu:" + std::to_string(line_of("barrier"))), std::string::npos)
      << seen.failure.message();
}

TEST(Detectors, OutputThatNobodyWroteIsCounted) {
  EXPECT_EQ(run("leaves_out", true).unwritten, sizeof(float));
  EXPECT_EQ(run("leaves_out", false).unwritten, 0u);
}

// The host writes managed and pinned memory by itself, which is not traced: there nothing is uninitialized.
TEST(Detectors, WhatTheHostMayWriteCountsAsWritten) {
  for (const Memory memory : {Memory::device, Memory::managed, Memory::pinned}) {
    configure({.seed = 1, .threads = 1});
    void *in = nullptr, *out = nullptr;
    ASSERT_TRUE(allocate_as(memory, planted::kFloats * sizeof(float), &in).ok());
    ASSERT_TRUE(allocate_as(memory, planted::kFloats * sizeof(float), &out).ok());
    begin_collecting({});
    planted::run("refill", false, static_cast<const float*>(in), static_cast<float*>(out));
    Trace trace;
    take_trace(trace);
    const bool unset = std::any_of(trace.findings.begin(), trace.findings.end(),
                                   [](const Finding& f) { return f.fault == Fault::uninitialized; });
    EXPECT_EQ(unset, memory == Memory::device) << all(trace);
    EXPECT_TRUE(unset || trace.findings.empty()) << all(trace);
    EXPECT_TRUE((memory == Memory::pinned ? release_pinned : release)(in).ok());
    EXPECT_TRUE((memory == Memory::pinned ? release_pinned : release)(out).ok());
  }
}

TEST(Counters, SectorsOfKnownPatterns) {
  const Trace trace = run("patterns", false).trace;
  EXPECT_EQ(all(trace), "");
  const std::map<std::string, std::uint64_t> sectors = {
      {"scattered", 32}, {"coalesced", 4}, {"broadcast", 1}, {"off by one", 5}, {"wide", 16}};
  for (const auto& [word, count] : sectors) {
    const Counters c = at(trace, word);
    EXPECT_EQ(c.global_load_requests, 1u) << word;
    EXPECT_EQ(c.global_load_sectors, count) << word;
  }
  EXPECT_EQ(at(trace, "stored").global_store_sectors, 4u);
  EXPECT_EQ(at(trace, "wide").global_load_bytes, 512u);
}

TEST(Counters, BankConflictsOfAColumnAreGoneWithPadding) {
  const Trace plain = run("columns", true).trace, padded = run("columns", false).trace;
  EXPECT_EQ(at(plain, "columns").shared_load_requests, 32u);
  EXPECT_EQ(at(plain, "columns").shared_load_wavefronts, 32u * 32);
  EXPECT_EQ(at(plain, "columns").shared_load_bank_conflicts, 32u * 31);
  EXPECT_EQ(at(plain, "rows").shared_store_bank_conflicts, 0u);
  EXPECT_EQ(at(padded, "columns").shared_load_wavefronts, 32u);
  EXPECT_EQ(at(padded, "columns").shared_load_bank_conflicts, 0u);
  EXPECT_EQ(plain.kernels.at(0).counters.barriers, 1u);
}

// 0, 1000, 2000 and 3000 rounds in a warp: as many requests as the longest, whatever the order and however long.
TEST(Counters, LanesThatPartAreStillOneRequest) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Counters c = at(run("parted", false, seed).trace, "rounds");
    EXPECT_EQ(c.global_load_requests, 3000u) << seed;
    EXPECT_EQ(c.global_load_sectors, 3000u) << seed;
  }
}

}  // namespace
}  // namespace cairn::emu
