// Warpgroups: what 128 threads do as one, in the order in which they do it. A thread that issues wgmma, or a fence,
// or closes a group goes on at once: each of its calls has a number, and the last thread to make the call of that
// number makes it true for all. Only a wait, and a demand for registers, keeps threads until all have come.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "emu/sm90/wgmma.hpp"

namespace cairn::emu {

class Block;
struct Thread;

enum class GroupDoes : std::uint8_t { fence, multiply, commit, wait, keep, take };

// What a thread calls, as far as all must agree on it.
struct GroupAsks {
  GroupDoes what;
  int count = 0;  // wait: groups left; keep, take: registers
  const GroupMultiply* multiply = nullptr;
  std::uint64_t a = 0, b = 0;
  bool add = false;
  bool operator==(const GroupAsks&) const = default;
};

class Warpgroups {
 public:
  void reset(unsigned threads);  // a new block begins

  // From here on: called by the block's threads, which have their call and site.
  void come(Block& block, const GroupAsks& asks, const GroupTiles* tiles);
  void exits(Block& block);       // the thread returns
  void block_ends(Block& block);  // it was the last
  // Of a thread that waits: how many have come, and how many registers there are for each thread of its warpgroup.
  unsigned come_with(const Thread& thread) const;
  unsigned registers_for(const Thread& thread) const;

 private:
  struct Call {
    GroupAsks asks;
    const char* name;
    Site site;
    unsigned first, come = 0;  // who made it first; how many have
    std::unique_ptr<GroupProduct> product;
  };
  struct Group {
    std::array<std::uint64_t, kGroup> made{};  // calls, of each thread
    std::deque<Call> calls;                    // that not all have made, oldest first
    std::uint64_t first = 0;                   // the number of calls.front()
    unsigned gone = 0;                         // threads that have returned
    GroupProducts products;
    unsigned registers = 0;  // of each thread
    unsigned wanted = 0;     // it waits for so many
  };

  Call& next_call(Block& block, Group& group, const GroupAsks& asks, const GroupTiles* tiles);
  bool complete(Block& block, unsigned number, Call& call);
  void give_registers(Block& block);

  std::array<Group, 8> groups_;
  unsigned count_ = 0;           // whole warpgroups of the block
  unsigned free_registers_ = 0;  // given back by some
  bool used_ = false;
};

}  // namespace cairn::emu
