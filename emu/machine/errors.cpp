#include "emu/machine/errors.hpp"

#include <mutex>
#include <utility>

#include "emu/machine/fork.hpp"

namespace cairn::emu {

namespace {
std::mutex mutex;
Status first;
}  // namespace

void remember(const Status& failure) {
  const InUse in_use;
  if (InUse::refused()) return;
  const std::lock_guard lock(mutex);
  if (first.ok()) first = failure;
}

Status take_failure() {
  const InUse in_use;
  if (InUse::refused()) return InUse::refusal();
  const std::lock_guard lock(mutex);
  return std::exchange(first, Status());
}

void forget(const std::string& message) {
  const InUse in_use;
  if (InUse::refused()) return;
  const std::lock_guard lock(mutex);
  if (first.message() == message) first = Status();
}

std::string& last_report() {
  thread_local std::string report;
  return report;
}

}  // namespace cairn::emu
