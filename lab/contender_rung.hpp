// A rung with one of its tiles, as a contender.
#pragma once

#include <memory>
#include <string>

#include "kernels/ladder.hpp"
#include "lab/contender.hpp"
#include "src/dispatch/candidate.hpp"

namespace cairn::lab {

class RungContender final : public Contender {
 public:
  RungContender(std::shared_ptr<runtime::Machine> machine, const Rung& rung, int tile);

  std::string_view id() const override { return id_; }
  std::string_view title() const override { return rung_.title; }
  std::string tile() const override { return rung_.tile_name(tile_).text; }
  Work work() const override;
  Grid grid() const override { return {rung_.row_alignment, rung_.pointer_alignment}; }
  Problem suited(const Problem& asked) const override;
  std::string refuses(const Problem& problem) const override;
  Status prepare(const Problem& problem) override;
  Status run(const Call& call, runtime::Stream stream) override;
  std::string details() const override { return "tile " + tile(); }
  std::string took() override;
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

 private:
  std::shared_ptr<runtime::Machine> machine_;
  const Rung& rung_;
  int tile_;
  dispatch::Candidate chosen_;  // for the problem that was prepared
  runtime::Buffer scratch_;
  bool multiplied_ = false;  // in the last run(): else nothing was left to the data
  std::string id_;           // "simt/04_block_tile"; with a tile that is not the default, "simt/04_block_tile@1"
};

// What the data decided in a launch of this rung that has ended and had this scratch memory; empty if nothing.
std::string took(const Rung& rung, runtime::Machine& machine, const runtime::Buffer& scratch);

// Every rung of the machine's ladder, in order: with its default tile, or with each of its tiles.
void add_rungs(const std::shared_ptr<runtime::Machine>& machine, bool all_tiles, Contenders& out);

}  // namespace cairn::lab
