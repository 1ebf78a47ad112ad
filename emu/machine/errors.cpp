#include "emu/machine/errors.hpp"

#include <mutex>
#include <utility>

namespace cairn::emu {

namespace {
std::mutex mutex;
Status first;
}  // namespace

void remember(const Status& failure) {
  const std::lock_guard lock(mutex);
  if (first.ok()) first = failure;
}

Status take_failure() {
  const std::lock_guard lock(mutex);
  return std::exchange(first, Status());
}

void forget(const std::string& message) {
  const std::lock_guard lock(mutex);
  if (first.message() == message) first = Status();
}

std::string& last_report() {
  thread_local std::string report;
  return report;
}

}  // namespace cairn::emu
