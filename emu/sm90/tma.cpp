#include "emu/sm90/tma.hpp"

#include "emu/machine/launch.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

void TmaStores::reset() {
  if (!used_) return;
  used_ = false;
  for (Queue& queue : queues_) {
    queue.stores.clear();
    queue.group = 0;
  }
}

TmaStores::Queue& TmaStores::of(unsigned thread) {
  if (queues_.empty()) queues_.resize(kMostThreads);
  used_ = true;
  return queues_[thread];
}

void TmaStores::issue(unsigned thread, const TensorMap& map, const Corner& at, const void* from, const Site& site) {
  Queue& queue = of(thread);
  queue.stores.push_back({map, at, from, site, queue.group, {}});
  if (trace_hooks != nullptr) trace_hooks->tma_store_issued(queue.stores.back());
}

void TmaStores::commit(unsigned thread) { ++of(thread).group; }

void TmaStores::read(TmaStore& store) {
  if (!store.content.empty()) return;
  store.content.resize(store.map.bytes());
  read_box(store.map, store.from, store.content.data());
  if (trace_hooks != nullptr) trace_hooks->tma_store_read(store);
}

void TmaStores::wait_read(unsigned thread, unsigned left) {
  Queue& queue = of(thread);
  const std::uint32_t done = queue.group > left ? queue.group - left : 0;  // groups before this one
  for (TmaStore& store : queue.stores) {
    if (store.group < done) read(store);
  }
}

void TmaStores::wait(unsigned thread, unsigned left) {
  wait_read(thread, left);
  Queue& queue = of(thread);
  const std::uint32_t done = queue.group > left ? queue.group - left : 0;
  auto next = queue.stores.begin();
  for (; next != queue.stores.end() && next->group < done; ++next)
    write_box(next->map, next->at, next->content.data());
  queue.stores.erase(queue.stores.begin(), next);
}

std::optional<Site> TmaStores::finish(bool late) {
  std::optional<Site> unread;
  if (!used_) return unread;
  for (Queue& queue : queues_) {
    for (TmaStore& store : queue.stores) {
      if (store.content.empty()) {
        unread = store.site;
        if (!late) return unread;
        read(store);
      }
      write_box(store.map, store.at, store.content.data());
    }
    queue.stores.clear();
  }
  return unread;
}

}  // namespace cairn::emu
