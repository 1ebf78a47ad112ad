#include "emu/machine/fork.hpp"

#include <atomic>
#include <pthread.h>

#include "emu/machine/thread_pool.hpp"

namespace cairn::emu {
namespace {

std::atomic<int> in_use{0};           // by all threads
thread_local int in_use_by_this = 0;  // a function may call another
std::atomic<bool> lost{false};
std::atomic<unsigned> forked{0};

void after_fork_in_child() {
  if (in_use.load() > in_use_by_this) lost = true;
  in_use = in_use_by_this;
  ++forked;
  ThreadPool::abandon();
}

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);

}  // namespace

InUse::InUse() {
  ++in_use;
  ++in_use_by_this;
}

InUse::~InUse() {
  --in_use_by_this;
  --in_use;
}

bool InUse::refused() { return lost.load(std::memory_order_relaxed); }

Status InUse::refusal() {
  return {Code::device_error,
          "this process was made by fork() while other threads of its parent used the emulator, and cannot use it; "
          "fork before they do, or start a new program in the child"};
}

unsigned forks() { return forked.load(std::memory_order_relaxed); }

}  // namespace cairn::emu
