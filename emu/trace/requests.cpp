// From the accesses of single threads to requests of warps.
//
// Each lane has a log of its accesses since the warp last synchronized. While all lanes take the same path,
// the i-th entries of their logs are one request. Where they diverge, accesses by the same instruction in the
// same iteration are one request.
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
  checked -= std::min(checked, dropped);
}

// The logs of a warp are equally long: a lane with a shorter one would stop earlier than the others, and the requests that
// they have made since would count without it.
void Tracer::grow_logs(unsigned warp, std::size_t capacity) {
  const std::size_t first = std::size_t{warp} * kWarp, end = std::min(first + kWarp, logs_.size());
  for (std::size_t i = first; i < end; ++i) capacity = std::max(capacity, logs_[i].capacity());
  for (std::size_t i = first; i < end; ++i) {
    if (logs_[i].capacity() < capacity) logs_[i].grow_to(capacity);
  }
}

// A lane whose log is full waits for the other lanes, and then the requests they have in common are counted: so logs
// stay short in loops without a barrier. Diverged lanes have few requests in common, and their logs grow.
void Tracer::full() {
  const unsigned thread = block_->self().linear;
  const Log& mine = logs_[thread];
  const unsigned warp = thread / kWarp;
  const auto& threads = block_->threads();
  const std::size_t first = std::size_t{warp} * kWarp, end = std::min(first + kWarp, threads.size());
  while (mine.full()) {
    bool others_run = false;
    unsigned paused = 0;
    for (std::size_t i = first; i < end && !others_run; ++i) {
      const State state = threads[i].state;
      others_run = (state == State::ready || state == State::spinning) && !logs_[i].full();
      paused += state == State::ready && i != thread ? 1 : 0;
    }
    if (others_run) {
      block_->pause();
    } else if (drain_aligned(warp) > 0) {
      block_->forward(paused);  // the same warp continues: its stacks and logs are in the L1 cache
    } else {
      grow_logs(warp, 2 * mine.size());
    }
  }
}

// Counts a complete request, and checks it for the lanes whose access has not been checked yet.
inline void Tracer::take_request(const Request& request, Shape shape, const Entry& like, unsigned warp,
                                 std::uint32_t unchecked) {
  if (detect_ && unchecked == request.lanes) {
    check_request(request, shape, like.kind(), like.site(), warp);
  } else if (detect_ && unchecked != 0) {
    Request rest = request;
    rest.lanes = unchecked;
    check_request(rest, Shape::any, like.kind(), like.site(), warp);
  }
  count(request, shape, like.kind(), like.site(), warp);
  if (merge_ && (like.kind() & kShared) != 0) merge(request, like.kind(), like.site(), warp);
}

// Takes requests from the front of the logs while all lanes that have entries take the same path. Returns how many.
std::size_t Tracer::drain_aligned(unsigned warp) {
  const unsigned first = warp * kWarp;
  const unsigned lanes = std::min<unsigned>(kWarp, static_cast<unsigned>(block_->threads().size()) - first);
  const Log* logs = &logs_[first];
  std::size_t shortest = logs[0].size(), longest = shortest, checked = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    shortest = std::min(shortest, logs[lane].size());
    longest = std::max(longest, logs[lane].size());
    checked = std::max(checked, logs[lane].checked);
  }
  const auto unchecked_at = [&](std::size_t at, std::uint32_t of) {
    if (at >= checked) return of;
    for (unsigned lane = 0; lane < lanes; ++lane) of &= ~(at < logs[lane].checked ? 1u << lane : 0u);
    return of;
  };
  std::size_t at = 0;
  Request request;

  // Up to the shortest log, all lanes take part.
  request.lanes = lanes == kWarp ? ~0u : (1u << lanes) - 1;
  bool aligned = true;
  for (; at < shortest; ++at) {
    const Entry& like = logs[0].begin()[at];
    const std::uint64_t what = like.what, start = like.address;
    const unsigned bytes = like.bytes();
    std::uint64_t different = 0, moved = 0, uneven = 0, in_row = start;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const Entry& entry = logs[lane].begin()[at];
      different |= entry.what ^ what;
      moved |= entry.address ^ start;
      uneven |= entry.address ^ in_row;
      in_row += bytes;
      request.address[lane] = entry.address;
    }
    aligned = different == 0;
    if (!aligned) break;
    request.bytes = bytes;
    Shape shape = Shape::any;
    if (moved == 0) shape = Shape::one;
    if (uneven == 0 && lanes == kWarp && (start & (bytes - 1)) == 0) shape = Shape::row;
    take_request(request, shape, like, warp, unchecked_at(at, request.lanes));
  }
  for (; aligned && at < longest; ++at) {
    const Entry* like = nullptr;
    request.lanes = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (at >= logs[lane].size()) continue;
      const Entry& entry = logs[lane].begin()[at];
      if (like == nullptr) like = &entry;
      aligned = aligned && entry.what == like->what;
      request.lanes |= 1u << lane;
      request.address[lane] = entry.address;
    }
    if (!aligned) break;
    request.bytes = like->bytes();
    take_request(request, Shape::any, *like, warp, unchecked_at(at, request.lanes));
  }
  if (at == 0) return 0;
  for (unsigned lane = 0; lane < lanes; ++lane) logs_[first + lane].drop(at);
  return at;
}

void Tracer::drain(unsigned warp) {
  drain_aligned(warp);
  const unsigned first = warp * kWarp;
  const unsigned lanes = std::min<unsigned>(kWarp, static_cast<unsigned>(block_->threads().size()) - first);
  bool empty = true;
  for (unsigned lane = 0; lane < lanes; ++lane) empty = empty && logs_[first + lane].size() == 0;
  if (merge_) merged_loads_[warp].wall(merged_), count_merged();
  if (empty) return;

  struct Gathered {
    Request request;
    unsigned kind = 0;
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
    if (detect_) flush(first + lane);  // in the thread's own order, which the requests below do not keep
    std::unordered_map<SiteId, std::uint32_t> rounds;
    for (const Entry* at = log.begin(); at != log.next; ++at) {
      const Entry& entry = *at;
      const auto bytes_and_kind = static_cast<std::uint32_t>(entry.what >> 32);
      Gathered& one = requests[{entry.site(), rounds[entry.site()]++, bytes_and_kind}];
      one.kind = entry.kind();
      one.request.bytes = entry.bytes();
      one.request.lanes |= 1u << lane;
      one.request.address[lane] = entry.address;
    }
    log.next = log.storage.get(), log.checked = 0;
  }
  for (const auto& [key, one] : requests) count(one.request, Shape::any, one.kind, key.site, warp);
  if (!merge_) return;
  for (const auto& [key, one] : requests) {  // in no order, so that none is merged
    if ((one.kind & (kShared | kStore | kAtomicAccess)) == kShared) merged_.push_back({one.request, key.site});
  }
  count_merged();
}

void Tracer::merge(const Request& request, unsigned kind, SiteId site, unsigned warp) {
  if ((kind & (kStore | kAtomicAccess)) != 0) {
    merged_loads_[warp].wall(merged_);
  } else if ((kind & (kMatrix | kCopied | kRelaxed)) != 0) {
    merged_.push_back({request, site});
    merged_.back().request.matrices = (kind & kMatrix) != 0;
  } else {
    merged_loads_[warp].add(request, site, merged_);
  }
  if (!merged_.empty()) count_merged();
}

void Tracer::count_merged() {
  for (const MergedLoads::Load& load : merged_) {
    SiteStats& s = stats_of(load.site);
    const Wavefronts w = wavefronts(load.request);
    ++s.merged_requests;
    s.merged_cost += w.all;
    s.merged_conflicts += w.conflicts();
  }
  merged_.clear();
}

inline SiteStats& Tracer::stats_of(SiteId site) {
  KnownSite& known = known_sites_[(site >> 2) % kKnownSites];
  if (known.site != site || known.stats == nullptr) known = {site, &stats_[site]};
  return *known.stats;
}

void Tracer::count(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp) {
  SiteStats& s = stats_of(site);
  s.shared = (kind & kShared) != 0, s.store = (kind & kStore) != 0, s.atomic = (kind & kAtomicAccess) != 0;
  s.copy = (kind & kCopied) != 0;
  unsigned cost = 0;
  if ((kind & kMatrix) != 0) {
    Request rows = request;
    rows.matrices = true;
    return count(rows, shape, kind & ~kMatrix, site, warp);
  }
  if (s.shared) {
    const Wavefronts w = wavefronts(request, shape);
    cost = w.all;
    s.conflicts += w.conflicts();
  } else {
    cost = sectors(request, shape);
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
  for (const Products& products : products_) add_products(products);
  for (const TmaCounters& tma : tma_counters_) add_tma(tma);
  products_.clear();
  tma_counters_.clear();
  stats_.clear();
  known_sites_.fill({});
}

}  // namespace cairn::emu
