// What is remembered of a 4-byte word: who wrote it last, and who has read it since. Enough to see that two accesses,
// one of them a write, have nothing between them that orders them (a data race), in whatever order they happened to
// come this time.
#pragma once

#include <atomic>
#include <cstdint>

#include "emu/trace/site.hpp"

namespace cairn::emu {

using BlockId = std::uint32_t;  // counted over all launches, so that what an earlier launch did is plainly past

// When somebody did something: a block, and the time in it. Compared as one number, the block first.
using Mark = std::uint64_t;
constexpr Mark mark(BlockId block, std::uint32_t time) { return Mark{block} << 32 | time; }
constexpr BlockId block_of(Mark mark) { return static_cast<BlockId>(mark >> 32); }
constexpr std::uint32_t time_of(Mark mark) { return static_cast<std::uint32_t>(mark); }

struct Past {
  Mark written = 0, read = 0;            // 0: nobody has
  SiteId write_site = 0, read_site = 0;  // read_site: of the first of several readers
  std::uint32_t read_warps = 0;          // where several threads of a block have read: of these warps
  std::uint16_t writer = 0, reader = 0;  // the thread's number in its block; kSeveral, kAtomic
  bool operator==(const Past&) const = default;
};
static_assert(sizeof(Past) == 32);  // two in a line of the cache

inline constexpr std::uint16_t kSeveral = 0x8000;  // of `reader`: more than one thread, unordered
// Of either: in one step, by an atomic or a volatile access, which no other such step races with. Of `reader` with
// several: all of them so.
inline constexpr std::uint16_t kAtomic = 0x4000;
// Of `reader` with several: `read_warps` is the number of a list with the time of each warp, for they read at times
// that differ. `read` is the last of these.
inline constexpr std::uint16_t kDated = 0x2000;
inline constexpr std::uint16_t kCopy = 0x2000;     // of `writer`: by an asynchronous copy,
inline constexpr std::uint16_t kArrived = 0x1000;  //   which its thread has waited for
inline constexpr std::uint16_t kThread = 0x07ff;
// In the place of a thread: the copy engine, for a barrier in shared memory of this number times 32; and while the
// copy is under way, another block of the cluster that asked for it.
inline constexpr std::uint16_t kEngineThread = 0x0400, kPeerThread = 0x07ff;

// Of a word of shared memory, in the place of the bits that say which of its bytes have been written.
inline constexpr std::uint8_t kInFlight = 0x10;  // an asynchronous copy to it has been issued and has not landed

// Beside the bits that say which bytes of a word have been written: some were accessed alone, and each byte has a
// past of its own. A store to all of the word makes it one again.
inline constexpr std::uint8_t kBytewise = 0x20;

// Device memory: for each allocation, the past of its words and which of their bytes have been written at all.
struct Region {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  Past* past = nullptr;                     // one for each word
  std::atomic<Past*> bytes_past = nullptr;  // one for each byte, once somebody asked
  std::uint8_t* written = nullptr;          // the same, a bit for each byte of the word
  std::size_t words() const { return (bytes + 3) / 4; }
};

// The region that holds an address, or null. The answer stays good while no device memory is given back.
Region* region_of(std::uintptr_t address);
// The region nearest to an address that is in none, for reports; null if there is none at all.
const Region* nearest_region(std::uintptr_t address);

// The pasts of a region's bytes.
Past* past_of_bytes(Region& region);

void add_region(const void* start, std::size_t bytes);
void drop_region(const void* start);
void mark_written(const void* start, std::size_t bytes);
std::uint64_t count_unwritten(const void* start, std::size_t bytes, std::uint64_t* first);

// Changes whenever a region comes or goes.
std::uint64_t region_generation();

}  // namespace cairn::emu
