// What is remembered of a 4-byte word: who wrote it last, and who has read it since. Enough to see that two accesses,
// one of them a write, have nothing between them that orders them (a data race), in whatever order they happened to
// come this time.
#pragma once

#include <cstdint>

#include "emu/trace/site.hpp"

namespace cairn::emu {

using BlockId = std::uint32_t;  // counted over all launches, so that what an earlier launch did is plainly past

struct Past {
  std::uint32_t written_at = 0, read_at = 0;  // the block's time
  SiteId write_site = 0, read_site = 0;
  BlockId write_block = 0, read_block = 0;  // 0: nobody
  std::uint32_t read_warps = 0;             // where several threads of a block have read: of these warps
  std::uint16_t writer = 0, reader = 0;     // the thread's number in its block; kSeveral, kAtomic
};

inline constexpr std::uint16_t kSeveral = 0x8000;  // of `reader`: more than one thread, unordered
inline constexpr std::uint16_t kAtomic = 0x4000;   // of `writer`: in one step, which no other such step races with
inline constexpr std::uint16_t kThread = 0x03ff;

// Device memory: for each allocation, the past of its words and which of their bytes have been written at all.
struct Region {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  Past* past = nullptr;             // one for each word
  std::uint8_t* written = nullptr;  // the same, a bit for each byte of the word
  std::size_t words() const { return (bytes + 3) / 4; }
};

// The region that holds an address, or null. The answer stays good while no device memory is given back.
Region* region_of(std::uintptr_t address);
// The region nearest to an address that is in none, for reports; null if there is none at all.
const Region* nearest_region(std::uintptr_t address);

void add_region(const void* start, std::size_t bytes);
void drop_region(const void* start);
void mark_written(const void* start, std::size_t bytes);
std::uint64_t count_unwritten(const void* start, std::size_t bytes, std::uint64_t* first);

// Changes whenever a region comes or goes.
std::uint64_t region_generation();

}  // namespace cairn::emu
