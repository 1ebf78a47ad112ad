#include "emu/machine/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <sched.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "emu/machine/fork.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

const TraceHooks* trace_hooks = nullptr;

namespace {

std::mutex mutex;
Settings current;

bool faithful_in_environment() {
  const char* value = std::getenv("CAIRN_EMU_TENSOR");
  return value != nullptr && std::string_view(value) == "faithful";
}
std::atomic<bool> faithful{faithful_in_environment()};

// The CPUs that this process may use: in a container fewer than the machine has.
int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Settings settings() {
  const InUse in_use;
  if (InUse::refused()) return current;  // nobody changes it any more
  const std::lock_guard lock(mutex);
  return current;
}

void configure(const Settings& wanted) {
  const InUse in_use;
  if (InUse::refused()) return;
  const std::lock_guard lock(mutex);
  current = wanted;
  current.threads = std::clamp(wanted.threads, 0, 1024);
  current.sms = std::clamp(wanted.sms, 1, 1024);
  current.patience = std::clamp(wanted.patience, 0.1, 1e6);
  faithful = wanted.faithful_tensor || faithful_in_environment();
}

bool faithful_tensor() { return faithful.load(std::memory_order_relaxed); }

int os_threads() {
  const int wanted = settings().threads;
  return wanted > 0 ? wanted : processors();
}

DeviceFacts device_facts() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {"Cairn emulator", settings().sms, 90, kMostShared, pages * page};
}

}  // namespace cairn::emu
