#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "emu/trace/access_history.hpp"

namespace cairn::emu {
namespace {

std::mutex mutex;
std::map<std::uintptr_t, std::unique_ptr<Region>> regions;  // by their end
std::atomic<std::uint64_t> generation{1};

// Zeroed pages that use memory only once they are touched.
void* pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// With the lock held.
Region* find(std::uintptr_t address) {
  const auto next = regions.upper_bound(address);
  return next != regions.end() && address >= next->second->start ? next->second.get() : nullptr;
}

}  // namespace

Region* region_of(std::uintptr_t address) {
  const std::lock_guard lock(mutex);
  return find(address);
}

AccessHistory* byte_histories(Region& region) {
  if (AccessHistory* history = region.byte_history; history != nullptr) return history;
  const std::lock_guard lock(mutex);
  if (region.byte_history == nullptr)
    region.byte_history = static_cast<AccessHistory*>(pages(4 * region.words() * sizeof(AccessHistory)));
  return region.byte_history;
}

const Region* nearest_region(std::uintptr_t address) {
  const std::lock_guard lock(mutex);
  const Region* best = nullptr;
  const auto distance = [&](const Region& r) {
    return address < r.start ? r.start - address : address - (r.start + r.bytes);
  };
  for (const auto& [end, region] : regions) {
    if (best == nullptr || distance(*region) < distance(*best)) best = region.get();
  }
  return best;
}

void add_region(const void* start, std::size_t bytes) {
  auto region = std::make_unique<Region>();
  region->start = number(start);
  region->bytes = bytes;
  region->history = static_cast<AccessHistory*>(pages(region->words() * sizeof(AccessHistory)));
  region->written = static_cast<std::uint8_t*>(pages(region->words()));
  const std::lock_guard lock(mutex);
  regions.emplace(region->start + bytes, std::move(region));
  ++generation;
}

void drop_region(const void* start) {
  const std::lock_guard lock(mutex);
  Region* region = find(number(start));
  if (region == nullptr) return;
  munmap(region->history, region->words() * sizeof(AccessHistory));
  if (region->byte_history != nullptr) munmap(region->byte_history, 4 * region->words() * sizeof(AccessHistory));
  munmap(region->written, region->words());
  regions.erase(region->start + region->bytes);
  ++generation;
}

void mark_written(const void* start, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  Region* region = find(number(start));
  if (region == nullptr) return;
  for (std::size_t at = number(start) - region->start, end = at + bytes; at < end;) {
    if (at % 4 == 0 && end - at >= 4) {
      region->written[at / 4] = 0xf;
      at += 4;
    } else {
      region->written[at / 4] |= static_cast<std::uint8_t>(1u << at % 4);
      ++at;
    }
  }
}

std::uint64_t count_unwritten(const void* start, std::size_t bytes, std::uint64_t* first) {
  const std::lock_guard lock(mutex);
  const Region* region = find(number(start));
  if (region == nullptr) return 0;
  std::uint64_t count = 0;
  const std::size_t begin = number(start) - region->start;
  for (std::size_t at = begin; at < begin + bytes; ++at) {
    if ((region->written[at / 4] >> at % 4 & 1) != 0) continue;
    if (count++ == 0 && first != nullptr) *first = at - begin;
  }
  return count;
}

Touched touched_since(const void* start, std::size_t bytes, BlockId first) {
  Touched touched;
  touched.written.resize(bytes);
  const std::lock_guard lock(mutex);
  const Region* region = find(number(start));
  if (region == nullptr) return touched;
  const Mark since = mark(first, 0);
  const auto look = [&](const AccessHistory& history, std::size_t begin, std::size_t end) {
    touched.any = touched.any || history.written >= since || history.read >= since;
    if (history.written < since) return;
    for (std::size_t at = begin; at < std::min(end, bytes); ++at) touched.written[at] = true;
  };
  const AccessHistory* byte_history = region->byte_history;
  for (std::size_t word = 0; word < region->words(); ++word) {
    const std::size_t at = 4 * word;
    if ((region->written[word] & kBytewise) == 0) {
      look(region->history[word], at, at + 4);
    } else {
      for (std::size_t i = at; i < at + 4; ++i) look(byte_history[i], i, i + 1);
    }
  }
  return touched;
}

std::uint64_t region_generation() { return generation.load(std::memory_order_relaxed); }

}  // namespace cairn::emu
