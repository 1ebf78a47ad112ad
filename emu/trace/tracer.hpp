// One OS thread's tracer: sees every load and store of the block that runs there.
//
//   access      called before each load and store: is it allowed, is it ordered (detect.cpp); then it is logged
//   requests    when the lanes of a warp have come to the same point, their logs are laid side by side: the same
//   place
//               in the code, the same time round, is one request of the warp, and is counted (requests.cpp)
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emu/block.hpp"
#include "emu/trace/clocks.hpp"
#include "emu/trace/collector.hpp"
#include "emu/trace/past.hpp"

namespace cairn::emu {

class Tracer {
 public:
  // Null outside kernels: what host code in a kernel's file does is not looked at.
  static constinit thread_local Tracer* current;

  void begin(Block& block);
  void end();

  void access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address);
  void atomic(std::uintptr_t address, unsigned bytes, const Site& site);
  [[noreturn]] void register_index(const char* file, unsigned line, std::uint64_t index);

  void arrives(unsigned barrier);
  void warps_meet(unsigned barrier, std::uint32_t waiting, const Site& site);
  void lanes_meet(unsigned warp, std::uint32_t lanes);

 private:
  enum Kind : std::uint8_t { kStore = 1, kShared = 2, kStep = 4 };  // bits; kStep: an atomic
  struct Entry {
    std::uint64_t address;  // in shared memory: from its start
    SiteId site;
    std::uint8_t bytes, kind;
  };
  // A thread's accesses since the last meeting. Not a vector: this is written before every access.
  struct Log {
    std::unique_ptr<Entry[]> storage;
    Entry *next = nullptr, *limit = nullptr;  // where the next one goes; where the storage ends

    bool full() const { return next == limit; }
    const Entry* begin() const { return storage.get(); }
    std::size_t size() const { return static_cast<std::size_t>(next - storage.get()); }
    void grow_to(std::size_t capacity);  // keeps what is there
    void drop(std::size_t count);        // from the front
  };
  // A shared array and its shadow.
  struct Array {
    std::uintptr_t start;
    std::size_t bytes;
    std::uint32_t offset;  // in the block's shared memory, as we lay it out
    const char* name;
  };
  // Where an access goes.
  struct Target {
    Past* past = nullptr;
    std::uint8_t* written = nullptr;
    std::uint64_t address = 0;  // for the log
    bool shared = false;
  };

  bool find(std::uintptr_t address, unsigned bytes, Target& out);
  // detect.cpp
  bool find_rarely(std::uintptr_t address, unsigned bytes, bool store, SiteId site, Target& out);
  void check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step, SiteId site);
  void check_written(std::uint8_t& written, unsigned mask, bool sets, SiteId site, std::uintptr_t address);
  void check_word(Past& past, bool shared, bool store, bool step, SiteId site, std::uintptr_t address);
  bool ordered(BlockId block, std::uint32_t time, unsigned thread) const {
    if (block < launch_) return true;  // an earlier launch, or nobody
    if (block != id_) return behind_.contains(block);
    const unsigned me = block_->self().linear;
    return thread == me || clocks_.ordered(time, thread / kWarp, me / kWarp);
  }
  bool reads_ordered(const Past& past) const;
  void race(const Past& past, bool with_reader, bool store, SiteId site, std::uintptr_t address);
  [[noreturn]] void stop(Caught caught);
  std::string who() const;
  std::string memory_at(std::uintptr_t address) const;

  // requests.cpp
  void log(const Target& target, unsigned bytes, std::uint8_t kind, SiteId site) {
    Log& mine = logs_[block_->self().linear];
    *mine.next++ = {target.address, site, static_cast<std::uint8_t>(bytes), kind};
    if (mine.full()) [[unlikely]]
      full(block_->self().linear);
  }
  void full(unsigned thread);
  bool runnable_and_not_full(unsigned warp) const;
  std::size_t drain_aligned(unsigned warp);
  void drain(unsigned warp);
  void count(const Request& request, std::uint8_t kind, SiteId site, unsigned warp);
  void hand_over();

  static constexpr std::size_t kShortLog = 64;  // all lanes' together stay in the nearest cache

  Block* block_ = nullptr;
  std::uintptr_t site_base_ = 0;
  std::uintptr_t stacks_low_ = 0, stacks_bytes_ = 0;
  bool several_stacks_ = false;
  bool detect_ = true;
  unsigned warps_ = 0;
  BlockId launch_ = 0, id_ = 0;
  std::unordered_set<BlockId> behind_;  // blocks that have handed on to this one by an atomic
  Clocks clocks_;
  std::vector<Log> logs_;
  std::unordered_map<SiteId, SiteStats> stats_;
  SiteId last_site_ = 0;
  SiteStats* last_stats_ = nullptr;

  std::vector<Array> arrays_;
  std::vector<Past> shared_past_;
  std::vector<std::uint8_t> shared_written_;
  std::uintptr_t locals_low_ = 0, locals_bytes_ = 0;  // this OS thread's thread_local variables
  std::uintptr_t image_low_ = 0, image_bytes_ = 0;    // constants and variables of the program
  std::array<Region*, 4> recent_{};
  std::uint64_t generation_ = 0;
  unsigned next_recent_ = 0;
};

}  // namespace cairn::emu
