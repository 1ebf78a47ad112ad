#include "emu/machine/async_copy.hpp"

#include <cstring>

#include "emu/machine/launch.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

namespace {
constexpr unsigned char kPoison = 0xff;  // a NaN in every floating-point type
}

void begin_copy(const AsyncCopy& copy) {
  if (trace_hooks != nullptr) trace_hooks->copy_issued(copy);  // does not return if the copy is not allowed
  std::memset(copy.to, kPoison, copy.bytes);
}

void finish_copy(const AsyncCopy& copy, const Mbarrier* barrier) {
  if (copy.valid > 0) std::memcpy(copy.to, copy.from, copy.valid);
  std::memset(static_cast<unsigned char*>(copy.to) + copy.valid, 0,
              static_cast<std::size_t>(copy.bytes - copy.valid));
  if (trace_hooks != nullptr) trace_hooks->copy_landed(copy, barrier);
}

void AsyncCopies::reset() {
  if (!used_) return;
  used_ = false;
  for (Queue& queue : queues_) {
    queue.copies.clear();
    queue.group = 0;
  }
}

AsyncCopies::Queue& AsyncCopies::of(unsigned thread) {
  if (queues_.empty()) queues_.resize(kMostThreads);
  used_ = true;
  return queues_[thread];
}

void AsyncCopies::issue(unsigned thread, void* to, const void* from, int bytes, int valid, const Site& site) {
  Queue& queue = of(thread);
  const AsyncCopy copy{to,  from, queue.group, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(valid),
                       site};
  begin_copy(copy);
  queue.copies.push_back(copy);
}

void AsyncCopies::commit(unsigned thread) { ++of(thread).group; }

void AsyncCopies::wait(unsigned thread, unsigned left) {
  Queue& queue = of(thread);
  const std::uint32_t landing = queue.group > left ? queue.group - left : 0;  // groups before this one
  auto next = queue.copies.begin();
  for (; next != queue.copies.end() && next->group < landing; ++next) finish_copy(*next, nullptr);
  queue.copies.erase(queue.copies.begin(), next);
}

}  // namespace cairn::emu
