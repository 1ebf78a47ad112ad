#include "emu/machine/device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "emu/machine/errors.hpp"
#include "emu/machine/fork.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kFence = 256;  // guard bytes before and after an allocation
constexpr unsigned char kFenceByte = 0xa5, kPoison = 0xff;

std::mutex mutex;
struct Live {
  std::size_t bytes;
  Memory memory;
  std::uint64_t number;
};
std::map<std::uintptr_t, Live> live;  // by their start
std::uint64_t made = 0;               // allocations so far

std::string hex(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

Status wrong(std::string message) {
  Status status(Code::invalid_argument, std::move(message));
  remember(status);
  return status;
}

const char* name_of(Memory memory) {
  switch (memory) {
    case Memory::device: return "device allocation";
    case Memory::managed: return "managed allocation";
    case Memory::pinned: return "pinned allocation";
    case Memory::registered: return "registered range";
    case Memory::symbol: return "variable";
  }
  return "";
}

// The allocation that contains the address, or the end of `live`.
auto holder(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto next = live.upper_bound(address);
  if (next == live.begin()) return live.end();
  --next;
  return address - next->first < std::max<std::size_t>(next->second.bytes, 1) ? next : live.end();
}

Status check(const char* what, const void* pointer, std::size_t bytes) {
  if (bytes == 0) return {};
  const std::lock_guard lock(mutex);
  const auto found = holder(pointer);
  if (found == live.end()) {
    return wrong(std::string(what) + " of " + std::to_string(bytes) + " bytes at " + hex(pointer) +
                 ", which is in no live device allocation");
  }
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(pointer) - found->first;
  if (bytes <= found->second.bytes - offset) return {};
  return wrong(std::string(what) + " of " + std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
               " of a " + name_of(found->second.memory) + " of " + std::to_string(found->second.bytes));
}

// The guard bytes after an allocation, with those by which its size was rounded up.
std::size_t tail_bytes(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign + kFence - bytes; }

bool intact(const unsigned char* fence, std::size_t bytes) {
  return std::all_of(fence, fence + bytes, [](unsigned char byte) { return byte == kFenceByte; });
}

}  // namespace

Status allocate(std::size_t bytes, void** out) { return allocate_as(Memory::device, bytes, out); }

Status allocate_as(Memory memory, std::size_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return {};
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  if (bytes > SIZE_MAX / 2) return {Code::out_of_memory, std::to_string(bytes) + " bytes of device memory"};
  auto* base = static_cast<unsigned char*>(std::aligned_alloc(kAlign, kFence + bytes + tail_bytes(bytes)));
  if (base == nullptr) return {Code::out_of_memory, std::to_string(bytes) + " bytes of device memory"};
  unsigned char* start = base + kFence;
  std::memset(base, kFenceByte, kFence);
  std::memset(start, kPoison, bytes);
  std::memset(start + bytes, kFenceByte, tail_bytes(bytes));
  if (trace_hooks != nullptr) {
    trace_hooks->allocated(start, bytes);
    // What the host writes by itself is not seen, so all of it counts as written.
    if (memory != Memory::device) trace_hooks->written(start, bytes);
  }
  const std::lock_guard lock(mutex);
  live.emplace(reinterpret_cast<std::uintptr_t>(start), Live{bytes, memory, ++made});
  *out = start;
  return {};
}

namespace {

// `pinned`: whether it must be pinned memory, or else device or managed memory.
Status give_back(void* pointer, bool pinned) {
  if (pointer == nullptr) return {};
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  std::size_t bytes = 0;
  const char* name = nullptr;
  {
    const std::lock_guard lock(mutex);
    const auto found = live.find(reinterpret_cast<std::uintptr_t>(pointer));
    const bool fits = found != live.end() &&
                      (pinned ? found->second.memory == Memory::pinned
                              : found->second.memory == Memory::device || found->second.memory == Memory::managed);
    if (!fits) {
      return wrong("free of " + hex(pointer) + ", which no live " + (pinned ? "pinned" : "device") +
                   " allocation starts at");
    }
    bytes = found->second.bytes;
    name = name_of(found->second.memory);
    live.erase(found);
  }
  auto* start = static_cast<unsigned char*>(pointer);
  if (trace_hooks != nullptr) trace_hooks->released(pointer);
  const bool before = intact(start - kFence, kFence), after = intact(start + bytes, tail_bytes(bytes));
  std::free(start - kFence);
  if (before && after) return {};
  return wrong("something wrote " + std::string(after ? "before the start" : "past the end") + " of a " + name +
               " of " + std::to_string(bytes) + " bytes");
}

}  // namespace

Status release(void* pointer) { return give_back(pointer, false); }
Status release_pinned(void* pointer) { return give_back(pointer, true); }

bool register_host(void* start, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::lock_guard lock(mutex);
  const auto next = live.lower_bound(first);
  if (holder(start) != live.end() || (next != live.end() && next->first < first + bytes)) return false;
  live.emplace(first, Live{bytes, Memory::registered, ++made});
  if (trace_hooks != nullptr) {
    trace_hooks->allocated(start, bytes);
    trace_hooks->written(start, bytes);
  }
  return true;
}

bool unregister_host(void* start) {
  const InUse in_use;
  if (InUse::refused()) return false;
  const std::lock_guard lock(mutex);
  const auto found = live.find(reinterpret_cast<std::uintptr_t>(start));
  if (found == live.end() || found->second.memory != Memory::registered) return false;
  live.erase(found);
  if (trace_hooks != nullptr) trace_hooks->released(start);
  return true;
}

void know_symbol(const void* start, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return;
  const std::lock_guard lock(mutex);
  if (holder(start) == live.end())
    live.emplace(reinterpret_cast<std::uintptr_t>(start), Live{bytes, Memory::symbol, 0});
}

Status copy_in(void* device, const void* host, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  Status status = check("copy to the device", device, bytes);
  if (status.ok() && bytes > 0) std::memcpy(device, host, bytes);
  if (status.ok() && trace_hooks != nullptr) trace_hooks->written(device, bytes);
  return status;
}

Status copy_out(void* host, const void* device, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  Status status = check("copy from the device", device, bytes);
  if (status.ok() && bytes > 0) std::memcpy(host, device, bytes);
  return status;
}

Status copy_within(void* to, const void* from, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  Status status = check("copy on the device, from", from, bytes);
  if (status.ok()) status = check("copy on the device, to", to, bytes);
  if (status.ok() && bytes > 0) std::memmove(to, from, bytes);
  if (status.ok() && trace_hooks != nullptr) trace_hooks->written(to, bytes);
  return status;
}

Status fill(void* device, unsigned char value, std::size_t bytes) {
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  Status status = check("fill", device, bytes);
  if (status.ok() && bytes > 0) std::memset(device, value, bytes);
  if (status.ok() && trace_hooks != nullptr) trace_hooks->written(device, bytes);
  return status;
}

bool is_device(const void* pointer) {
  const InUse in_use;
  if (InUse::refused()) return false;
  const std::lock_guard lock(mutex);
  return holder(pointer) != live.end();
}

Allocation allocation_of(const void* pointer) {
  const InUse in_use;
  if (InUse::refused()) return {};
  const std::lock_guard lock(mutex);
  const auto found = holder(pointer);
  if (found == live.end()) return {};
  return {reinterpret_cast<const void*>(found->first), found->second.bytes, found->second.memory,
          found->second.number};
}

std::vector<Allocation> allocations() {
  std::vector<Allocation> all;
  const InUse in_use;
  if (InUse::refused()) return all;
  const std::lock_guard lock(mutex);
  for (const auto& [start, one] : live) {
    if (one.memory != Memory::symbol)
      all.push_back({reinterpret_cast<const void*>(start), one.bytes, one.memory, one.number});
  }
  std::ranges::sort(all, {}, &Allocation::number);
  return all;
}

std::size_t allocated_bytes() {
  const InUse in_use;
  if (InUse::refused()) return 0;
  const std::lock_guard lock(mutex);
  std::size_t sum = 0;
  for (const auto& [start, allocation] : live) {
    if (allocation.memory == Memory::device || allocation.memory == Memory::managed) sum += allocation.bytes;
  }
  return sum;
}

}  // namespace cairn::emu

// For what computes on device memory without a kernel: faces/cublas calls it, where it is linked.
extern "C" void cairn_device_written(const void* start, std::size_t bytes);
void cairn_device_written(const void* start, std::size_t bytes) {
  if (cairn::emu::trace_hooks != nullptr && cairn::emu::is_device(start))
    cairn::emu::trace_hooks->written(const_cast<void*>(start), bytes);
}
