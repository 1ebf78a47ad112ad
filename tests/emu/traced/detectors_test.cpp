// Every detector with a kernel that has the bug, which it must name at the right lines, and a twin that has not, on
// which all must be silent; and the counters, on patterns whose numbers are known.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emu/errors.hpp"
#include "emu/memory.hpp"
#include "emu/settings.hpp"
#include "emu/trace/collector.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::emu {
namespace {

// The line of kernels.cu that ends in "// <- word".
int line_of(const std::string& word) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/emu/traced/kernels.cu");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// <- " + word)) return number;
  }
  ADD_FAILURE() << "no line is marked " << word;
  return 0;
}

struct Seen {
  Trace trace;
  Status failure;
  std::uint64_t unwritten = 0;
};

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  configure({.seed = seed, .threads = 1});
  void *in = nullptr, *out = nullptr;
  EXPECT_TRUE(allocate(planted::kFloats * sizeof(float), &in).ok());
  EXPECT_TRUE(allocate(planted::kFloats * sizeof(float), &out).ok());
  std::vector<float> ones(planted::kFloats, 1.0F);
  EXPECT_TRUE(copy_in(in, ones.data(), ones.size() * sizeof(float)).ok());
  if (name == "sum_up" || name == "handed_on") EXPECT_TRUE(fill(out, 0, 100 * sizeof(float)).ok());
  begin_collecting({});
  planted::run(name, bug, static_cast<const float*>(in), static_cast<float*>(out));
  Seen seen;
  seen.failure = take_failure();
  take_trace(seen.trace);
  seen.unwritten = count_unwritten(out, 100 * sizeof(float), nullptr);
  EXPECT_TRUE(release(in).ok());
  EXPECT_TRUE(release(out).ok());
  return seen;
}

std::string all(const Trace& trace) {
  std::string text;
  for (const Finding& finding : trace.findings) text += std::string(name(finding.fault)) + ": " + finding.what + "\n";
  return text;
}

struct Planted {
  const char* kernel;
  Fault fault;
  const char *place, *other;  // marked lines, in either order; null: there is none
};

class Detector : public testing::TestWithParam<Planted> {};

TEST_P(Detector, NamesTheBugAtItsLines) {
  const auto [kernel, fault, place, other] = GetParam();
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Seen seen = run(kernel, true, seed);
    bool found = false;
    for (const Finding& finding : seen.trace.findings) {
      if (finding.fault != fault) continue;
      const int lines[] = {finding.place.line, finding.other.line};
      const auto has = [&](const char* word) {
        return word == nullptr || lines[0] == line_of(word) || lines[1] == line_of(word);
      };
      found = found || (has(place) && has(other));
    }
    EXPECT_TRUE(found) << "seed " << seed << "\n" << all(seen.trace) << seen.failure.message();
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

Counters at(const Trace& trace, const std::string& word) {
  for (const LineCounters& line : trace.kernels.at(0).lines) {
    if (line.place.line == line_of(word)) return line.counters;
  }
  ADD_FAILURE() << "nothing was counted at " << word;
  return {};
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
