#include "emu/trace/variables.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace cairn::emu {
namespace {

std::atomic<bool> keeping{false};
std::mutex mutex;
std::map<std::uintptr_t, unsigned char> old;  // by the address, a byte each: stores may overlap

}  // namespace

void variable_changes(std::uintptr_t address, unsigned bytes) {
  if (!keeping.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex);
  for (std::uintptr_t at = address; at < address + bytes; ++at)
    if (!old.contains(at)) old.emplace(at, *reinterpret_cast<const unsigned char*>(at));
}

void keep_variables() {
  const std::lock_guard lock(mutex);
  old.clear();
  keeping = true;
}

void put_variables_back() {
  const std::lock_guard lock(mutex);
  keeping = false;
  for (const auto& [address, byte] : old) *reinterpret_cast<unsigned char*>(address) = byte;
  old.clear();
}

}  // namespace cairn::emu
