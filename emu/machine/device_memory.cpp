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
std::map<std::uintptr_t, std::size_t> live;  // start -> bytes

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

// The allocation that contains the address, or the end of `live`.
auto holder(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto next = live.upper_bound(address);
  if (next == live.begin()) return live.end();
  --next;
  return address - next->first < std::max<std::size_t>(next->second, 1) ? next : live.end();
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
  if (bytes <= found->second - offset) return {};
  return wrong(std::string(what) + " of " + std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
               " of a device allocation of " + std::to_string(found->second));
}

// The guard bytes after an allocation, with those by which its size was rounded up.
std::size_t tail_bytes(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign + kFence - bytes; }

bool intact(const unsigned char* fence, std::size_t bytes) {
  return std::all_of(fence, fence + bytes, [](unsigned char byte) { return byte == kFenceByte; });
}

}  // namespace

Status allocate(std::size_t bytes, void** out) {
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
  if (trace_hooks != nullptr) trace_hooks->allocated(start, bytes);
  const std::lock_guard lock(mutex);
  live.emplace(reinterpret_cast<std::uintptr_t>(start), bytes);
  *out = start;
  return {};
}

Status release(void* pointer) {
  if (pointer == nullptr) return {};
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex);
    const auto found = live.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == live.end()) return wrong("free of " + hex(pointer) + ", which no live device allocation starts at");
    bytes = found->second;
    live.erase(found);
  }
  auto* start = static_cast<unsigned char*>(pointer);
  if (trace_hooks != nullptr) trace_hooks->released(pointer);
  const bool before = intact(start - kFence, kFence), after = intact(start + bytes, tail_bytes(bytes));
  std::free(start - kFence);
  if (before && after) return {};
  return wrong("something wrote " + std::string(after ? "before the start" : "past the end") +
               " of a device allocation of " + std::to_string(bytes) + " bytes");
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

std::size_t allocated_bytes() {
  const InUse in_use;
  if (InUse::refused()) return 0;
  const std::lock_guard lock(mutex);
  std::size_t sum = 0;
  for (const auto& [start, bytes] : live) sum += bytes;
  return sum;
}

}  // namespace cairn::emu
