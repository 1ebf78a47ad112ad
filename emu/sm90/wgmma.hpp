// The products of one warpgroup that run by themselves.
//
// A product is made as late as the program permits: when a wait demands its group. Only then is shared memory read,
// and A's registers. From issue to then the registers of its sums hold poison, so a wait that is missing or asks for
// too little shows in the result.
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

// Sums on which products are at work.
struct GroupSums {
  unsigned n = 0, products = 0;
  std::array<float*, kGroup> where{};  // each thread's; null: it has not issued the first of them yet
  std::vector<float> values;           // as multiply_group has them
};

struct GroupProduct {
  const GroupMultiply* what;
  std::uint64_t a, b;
  bool add, in_registers;
  Site site;
  std::uint64_t group = 0;
  std::shared_ptr<GroupSums> sums;
  std::array<const std::uint32_t*, kGroup> registers{};
};

class GroupProducts {
 public:
  void reset();

  // A thread of the warpgroup, by its place in it, issues a product: as the first to do so, and with those before it.
  std::unique_ptr<GroupProduct> begin(unsigned thread, const GroupMultiply& what, const GroupTiles& mine, Site site);
  void join(Block& block, unsigned thread, GroupProduct& product, const GroupTiles& mine);
  // All have.
  void issued(Block& block, std::unique_ptr<GroupProduct> product);
  void fence();
  void commit() { ++group_; }
  // All groups are made, in order, but the newest `left`.
  void wait(Block& block, unsigned left);

  // One that nobody has waited for, or null.
  const GroupProduct* oldest() const { return products_.empty() ? nullptr : products_.front().get(); }

 private:
  void multiply(Block& block, const GroupProduct& product);
  void hand_back(Block& block, const GroupProduct& product);

  std::deque<std::unique_ptr<GroupProduct>> products_;  // issued, oldest first
  std::vector<std::shared_ptr<GroupSums>> at_work_;
  std::uint64_t group_ = 0;  // of the next product
  bool fenced_ = false;
  std::vector<const float*> done_;  // sums that were waited for since the last fence: the first thread's
  Blocks a_, b_;
};

}  // namespace cairn::emu
