// Warpgroup-wide instructions: wgmma, its fence, commit and wait, and setmaxnreg. Each thread's calls are numbered; a
// call takes effect when the last of the 128 threads makes the call of that number. Only wgmma_wait and
// setmaxnreg.inc block a thread until then.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "emu/sm90/wgmma.hpp"

namespace cairn::emu {

class Block;
struct Thread;

enum class WarpgroupOp : std::uint8_t { fence, mma, commit, wait, dec, inc };

// The arguments of a call, which must be the same in all threads.
struct WarpgroupArguments {
  WarpgroupOp what;
  int count = 0;  // wait: groups left; dec, inc: registers
  const WgmmaShape* shape = nullptr;
  std::uint64_t a = 0, b = 0;
  bool add = false;
  bool operator==(const WarpgroupArguments&) const = default;
};

class Warpgroups {
 public:
  void reset(unsigned threads);  // a new block begins

  // The rest is called by the block's threads, whose call and site are set.
  void execute(Block& block, const WarpgroupArguments& arguments, const WgmmaOperands* operands);
  void exits(Block& block);       // the thread returns
  void block_ends(Block& block);  // all threads have returned
  // For a thread that waits: how many threads have arrived, and how many registers its
  // warpgroup could have per thread.
  unsigned arrived_with(const Thread& thread) const;
  unsigned registers_for(const Thread& thread) const;

 private:
  struct Call {
    WarpgroupArguments arguments;
    const char* name;
    Site site;
    unsigned first, arrived = 0;  // the thread that made it first; how many have made it
    std::unique_ptr<Wgmma> product;
  };
  struct Group {
    std::array<std::uint64_t, kWarpgroup> calls_made{};  // by each thread
    std::deque<Call> calls;                              // that not all threads have made, oldest first
    std::uint64_t first = 0;                             // the number of calls.front()
    unsigned exited = 0;                                 // threads that have returned
    WgmmaQueue products;
    unsigned registers = 0;  // of each thread
    unsigned wanted = 0;     // the setmaxnreg.inc that waits; 0 if none does
  };

  Call& next_call(Block& block, Group& group, const WarpgroupArguments& arguments, const WgmmaOperands* operands);
  bool complete(Block& block, unsigned number, Call& call);
  void give_registers(Block& block);

  std::array<Group, 8> groups_;
  unsigned count_ = 0;           // full warpgroups of the block
  unsigned free_registers_ = 0;  // released by setmaxnreg.dec
  bool used_ = false;
};

}  // namespace cairn::emu
