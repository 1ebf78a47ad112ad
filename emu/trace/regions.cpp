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

std::uint64_t region_generation() { return generation.load(std::memory_order_relaxed); }

}  // namespace cairn::emu
