// The access history of a 4-byte word: which thread wrote it last, and which threads have read it
// since. That is enough to find data races: two accesses, one of them a write, that nothing orders,
// whatever their order was in this run.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "emu/trace/site.hpp"

namespace cairn::emu {

using BlockId =
    std::uint32_t;  // numbered over all launches, so that a smaller number than this launch's is an earlier launch

// When an access happened: the block, and the time in that block. Compared as one number, the block first.
using Mark = std::uint64_t;
constexpr Mark mark(BlockId block, std::uint32_t time) { return Mark{block} << 32 | time; }
constexpr BlockId block_of(Mark mark) { return static_cast<BlockId>(mark >> 32); }
constexpr std::uint32_t time_of(Mark mark) { return static_cast<std::uint32_t>(mark); }

struct AccessHistory {
  Mark written = 0, read = 0;            // 0: never
  SiteId write_site = 0, read_site = 0;  // read_site: of the first of several readers
  std::uint32_t read_warps = 0;          // kSeveral: a bit for each warp that has read
  std::uint16_t writer = 0, reader = 0;  // the thread's number in its block, and flags
  bool operator==(const AccessHistory&) const = default;
};
static_assert(sizeof(AccessHistory) == 32);  // two in a cache line

inline constexpr std::uint16_t kSeveral = 0x8000;  // of `reader`: more than one thread, unordered
// Of `writer` or `reader`: by an atomic or a volatile access, which do not race with each
// other. With kSeveral: all were.
inline constexpr std::uint16_t kAtomic = 0x4000;
// Of `reader`, with kSeveral: the warps have read at different times. `read_warps` is the number of a list of these
// times (read_times.hpp), and `read` the last of them.
inline constexpr std::uint16_t kTimesDiffer = 0x2000;
inline constexpr std::uint16_t kCopy = 0x2000;     // of `writer`: by an asynchronous copy,
inline constexpr std::uint16_t kArrived = 0x1000;  //   which its thread has waited for
inline constexpr std::uint16_t kThread = 0x07ff;
// Instead of a thread number: TMA, for the mbarrier with number (thread - kTmaThread) / 32; and, while a multicast is
// in flight, the block of the cluster that issued it.
inline constexpr std::uint16_t kTmaThread = 0x0400, kPeerThread = 0x07ff;

// A word has a bit for each of its bytes that has been written (`written`), and these flags.
// Shared memory, instead of the four bits: an asynchronous copy to the word is in flight.
inline constexpr std::uint8_t kInFlight = 0x10;
// Some bytes of the word were accessed alone, so each byte has a history of its own until the full word is stored.
inline constexpr std::uint8_t kBytewise = 0x20;

// A device allocation: the history of its words, and which of their bytes have ever been written.
struct Region {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  AccessHistory* history = nullptr;                    // one for each word
  std::atomic<AccessHistory*> byte_history = nullptr;  // one for each byte, allocated when needed
  std::uint8_t* written = nullptr;                     // one for each word
  std::size_t words() const { return (bytes + 3) / 4; }
};

// The region that contains an address, or null. Valid until device memory is freed.
Region* region_of(std::uintptr_t address);
// The region nearest to an address that is in none, for reports; null if there are no regions.
const Region* nearest_region(std::uintptr_t address);

// The histories of a region's bytes.
AccessHistory* byte_histories(Region& region);

void add_region(const void* start, std::size_t bytes);
void drop_region(const void* start);
void mark_written(const void* start, std::size_t bytes);
std::uint64_t count_unwritten(const void* start, std::size_t bytes, std::uint64_t* first);

// What a launch did to an allocation: whether it accessed it at all, and for each byte whether it wrote it.
struct Touched {
  bool any = false;
  std::vector<bool> written;
};
// Of the launch whose first block is `first`, and of those after it. Known while detectors are on.
Touched touched_since(const void* start, std::size_t bytes, BlockId first);

// Changes whenever a region is added or dropped.
std::uint64_t region_generation();

}  // namespace cairn::emu
