// Loads that a compiler merges, beside what an H200 counted (results/h200/calibration_simt.json, 256 cubed).
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

struct Measured {
  std::uint64_t requests = 0, wavefronts = 0;
};

std::map<std::string, Measured> on_the_gpu() {
  std::ifstream in(CAIRN_SOURCE_DIR "/results/h200/calibration_simt.json");
  const auto record = nlohmann::json::parse(in);
  std::map<std::string, Measured> all;
  for (const auto& row : record.at("rows")) {
    for (const auto& cell : row) {
      if (cell.is_object() && cell.contains("shared_load_requests"))
        all[row.at(0)] = {cell.at("shared_load_requests"), cell.at("shared_load_wavefronts")};
    }
  }
  return all;
}

TEST(MergedLoads, AreWhatTheGpuCountsWhereLoopsAreUnrolledByFourOrMore) {
  const auto gpu = on_the_gpu();
  for (const char* id : {"simt/04_block_tile", "simt/11_a_transposed", "simt/16_warp_tile"}) {
    const emu::Counters c = count(id, 256, 0, kMerged);
    EXPECT_GT(c.shared_load_requests, gpu.at(id).requests) << id;
    EXPECT_EQ(c.merged_shared_load_requests, gpu.at(id).requests) << id;
    EXPECT_EQ(c.merged_shared_load_wavefronts, gpu.at(id).wavefronts) << id;
  }
}

// Their loops over k are unrolled by two, which ends the merging of their loads of A there.
TEST(MergedLoads, AreTheMostThatCanBeMerged) {
  const auto gpu = on_the_gpu();
  for (const char* id : {"simt/06_thread_tile_1d", "simt/08_thread_tile_2d"}) {
    const emu::Counters c = count(id, 256, 0, kMerged);
    EXPECT_GT(c.shared_load_requests, gpu.at(id).requests) << id;
    EXPECT_LT(c.merged_shared_load_requests, gpu.at(id).requests) << id;
  }
}

TEST(MergedLoads, LeaveWideLoadsAsTheyAre) {
  for (const char* id : {"simt/13_bank_linear", "simt/17_warp_tile_vec4"}) {
    const emu::Counters c = count(id, 128, 0, kMerged);
    EXPECT_EQ(c.merged_shared_load_requests, c.shared_load_requests) << id;
    EXPECT_EQ(c.merged_shared_load_wavefronts, c.shared_load_wavefronts) << id;
    EXPECT_EQ(c.merged_shared_load_bank_conflicts, c.shared_load_bank_conflicts) << id;
  }
}

}  // namespace
}  // namespace cairn::lab::trace
