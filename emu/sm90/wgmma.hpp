// The wgmma instructions of one warpgroup that are in flight.
//
// One is executed as late as the program permits: when a wait needs its group. Only then are shared memory
// and A's registers read. Until then its accumulators hold poison, so a wait that is missing or waits for too
// few groups shows in the result.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emu/sm90/warpgroup_builtins.hpp"
#include "emu/sm90/wgmma_math.hpp"

namespace cairn::emu {

class Block;

// Accumulators of instructions in flight.
struct WgmmaAccumulators {
  unsigned n = 0, products = 0;
  std::array<float*, kWarpgroup> registers_of{};  // by thread; null: it has not issued the first of them yet
  std::vector<float> values;                      // laid out as multiply_warpgroup has them
};

struct Wgmma {
  const WgmmaShape* what;
  std::uint64_t a, b;
  bool add, in_registers;
  Site site;
  std::uint64_t group = 0;
  std::shared_ptr<WgmmaAccumulators> accumulators;
  std::array<const std::uint32_t*, kWarpgroup> registers{};
};

class WgmmaQueue {
 public:
  void reset();

  // A thread of the warpgroup (0 to 127) issues one: as the first thread to do so, and every thread.
  std::unique_ptr<Wgmma> begin(unsigned thread, const WgmmaShape& what, const WgmmaOperands& mine, Site site);
  void join(Block& block, unsigned thread, Wgmma& product, const WgmmaOperands& mine);
  // All threads have.
  void issued(Block& block, std::unique_ptr<Wgmma> product);
  void fence();
  void commit() { ++group_; }
  // Executes all groups, in order, but the newest `left`.
  void wait(Block& block, unsigned left);

  // One that no wait has covered, or null.
  const Wgmma* oldest() const { return products_.empty() ? nullptr : products_.front().get(); }

 private:
  void multiply(Block& block, const Wgmma& product);
  void write_back(Block& block, const Wgmma& product);

  std::deque<std::unique_ptr<Wgmma>> products_;  // issued, oldest first
  std::vector<std::shared_ptr<WgmmaAccumulators>> in_flight_;
  std::uint64_t group_ = 0;  // of the next instruction
  bool fenced_ = false;
  std::vector<const float*> written_back_;  // since the last fence: thread 0's accumulators
  Blocks a_, b_;
};

}  // namespace cairn::emu
