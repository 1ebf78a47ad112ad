// From the accesses of single threads to requests of warps.
//
// A thread runs undisturbed from one meeting to the next, so its accesses come as a list. The lists of a warp's lanes
// are laid side by side: where all lanes go the same way, the i-th accesses of all are one request. Where they part,
// an access belongs with those of the other lanes at the same place in the code, the same time round.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

void Tracer::Log::grow_to(std::size_t capacity) {
  auto larger = std::make_unique<Entry[]>(capacity);
  const std::size_t kept = storage == nullptr ? 0 : size();
  std::copy_n(storage.get(), kept, larger.get());
  storage = std::move(larger);
  next = storage.get() + kept;
  limit = storage.get() + capacity;
}

void Tracer::Log::drop(std::size_t count) {
  const std::size_t dropped = std::min(count, size());
  next = std::copy(storage.get() + dropped, next, storage.get());
}

bool Tracer::runnable_and_not_full(unsigned warp) const {
  const auto& threads = block_->threads();
  const std::size_t first = std::size_t{warp} * kWarp, end = std::min(first + kWarp, threads.size());
  for (std::size_t i = first; i < end; ++i) {
    const State state = threads[i].state;
    if ((state == State::ready || state == State::spinning) && !logs_[i].full()) return true;
  }
  return false;
}

// A log that is long enough waits for those of the other lanes, and what they have in common is counted; so logs stay
// short in loops without a barrier. Lanes that have parted have little in common, and their logs grow.
void Tracer::full(unsigned thread) {
  const Log& mine = logs_[thread];
  const unsigned warp = thread / kWarp;
  while (mine.full()) {
    if (runnable_and_not_full(warp)) {
      block_->pause();
      continue;
    }
    if (drain_aligned(warp) > 0) continue;
    const std::size_t end = std::min<std::size_t>((warp + 1) * kWarp, block_->threads().size());
    for (std::size_t i = warp * kWarp; i < end; ++i) {
      if (logs_[i].full()) logs_[i].grow_to(2 * logs_[i].size());
    }
  }
}

// Counts the requests at the front of the logs for as long as all lanes that have any go the same way, and takes them
// off. Gives how many.
std::size_t Tracer::drain_aligned(unsigned warp) {
  const unsigned first = warp * kWarp;
  const unsigned lanes = std::min<unsigned>(kWarp, static_cast<unsigned>(block_->threads().size()) - first);
  std::size_t longest = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) longest = std::max(longest, logs_[first + lane].size());
  std::size_t at = 0;
  for (Request request; at < longest; ++at) {
    const Entry* example = nullptr;
    request.lanes = 0;
    bool aligned = true;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const Log& log = logs_[first + lane];
      if (at >= log.size()) continue;
      const Entry& entry = log.begin()[at];
      if (example == nullptr) example = &entry;
      aligned =
          aligned && entry.site == example->site && entry.bytes == example->bytes && entry.kind == example->kind;
      request.lanes |= 1u << lane;
      request.address[lane] = entry.address;
    }
    if (!aligned) break;
    request.bytes = example->bytes;
    count(request, example->kind, example->site, warp);
  }
  if (at == 0) return 0;
  for (unsigned lane = 0; lane < lanes; ++lane) logs_[first + lane].drop(at);
  return at;
}

void Tracer::drain(unsigned warp) {
  drain_aligned(warp);
  const unsigned first = warp * kWarp;
  const unsigned lanes = std::min<unsigned>(kWarp, static_cast<unsigned>(block_->threads().size()) - first);
  struct Gathered {
    Request request;
    std::uint8_t kind = 0;
  };
  struct Key {
    SiteId site;
    std::uint32_t round, bytes_and_kind;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (std::uint64_t{k.site} * 0x9e3779b97f4a7c15u) ^ (std::uint64_t{k.round} << 20) ^ k.bytes_and_kind;
    }
  };
  std::unordered_map<Key, Gathered, Hash> requests;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Log& log = logs_[first + lane];
    std::unordered_map<SiteId, std::uint32_t> rounds;
    for (const Entry* at = log.begin(); at != log.next; ++at) {
      const Entry& entry = *at;
      const auto shape = static_cast<std::uint32_t>(entry.bytes << 8 | entry.kind);
      Gathered& one = requests[{entry.site, rounds[entry.site]++, shape}];
      one.kind = entry.kind;
      one.request.bytes = entry.bytes;
      one.request.lanes |= 1u << lane;
      one.request.address[lane] = entry.address;
    }
    log.next = log.storage.get();
  }
  for (const auto& [key, one] : requests) count(one.request, one.kind, key.site, warp);
}

void Tracer::count(const Request& request, std::uint8_t kind, SiteId site, unsigned warp) {
  if (site != last_site_ || last_stats_ == nullptr) {
    last_stats_ = &stats_[site];
    last_site_ = site;
  }
  SiteStats& s = *last_stats_;
  s.shared = (kind & kShared) != 0, s.store = (kind & kStore) != 0, s.atomic = (kind & kStep) != 0;
  unsigned cost = 0;
  if (s.shared) {
    const Wavefronts w = wavefronts(request);
    cost = w.all;
    s.conflicts += w.conflicts();
  } else {
    cost = sectors(request);
  }
  ++s.requests;
  s.cost += cost;
  s.bytes += static_cast<std::uint64_t>(__builtin_popcount(request.lanes)) * request.bytes;
  if (cost > s.worst) {
    s.worst = cost;
    s.worst_request = request;
    s.worst_block = block_->index();
    s.worst_warp = warp;
  }
}

void Tracer::hand_over() {
  for (const auto& [site, stats] : stats_) add_stats(site, stats);
  stats_.clear();
  last_stats_ = nullptr;
}

}  // namespace cairn::emu
