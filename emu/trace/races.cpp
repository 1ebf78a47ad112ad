// Is an access ordered with what others have done to the same words, and is there something to read.
//
// Looked at when a warp's logs are drained, a request at a time: the 32 words of most requests are neighbours and
// have the same past, or are one word. What a thread has done since its last event is dated by that event
// (clocks.hpp), so it does not matter how late it is looked at, as long as that is before the next one: flush() sees
// to that where a single thread has an event of its own.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

Tracer::Extent Tracer::extent_at(std::uint64_t address, bool shared) {
  if (shared) return {0, shared_past_.size() * 4, {shared_past_.data(), shared_written_.data()}};
  for (const Recent& recent : recent_) {
    if (address - recent.start < recent.bytes)
      return {recent.start, recent.bytes, {recent.region->past, recent.region->written}};
  }
  const Region& region = *region_of(address);  // it was there when the access was logged, and nobody frees meanwhile
  return {region.start, region.bytes, {region.past, region.written}};
}

inline Tracer::Words Tracer::words_at(std::uint64_t address, bool shared) {
  const Extent extent = extent_at(address, shared);
  const std::size_t word = (address - extent.start) / 4;
  return {extent.first.past + word, extent.first.written + word};
}

// Whether it is past for all threads of the block, by itself: of an earlier launch, or from before all warps met.
// What other blocks did to shared memory was in another memory.
template <bool shared> inline bool Tracer::is_past(Mark mark) const {
  const Mark since_mine = mark - mine_;  // very large for what came before
  if (since_mine < clocks_.all()) return true;
  return shared ? since_mine >> 32 != 0 : mark < floor_;
}

inline bool Tracer::ordered(Mark by, unsigned thread, unsigned me) const {
  if (by < floor_) return true;
  if (block_of(by) != id_) return behind_.contains(block_of(by));
  return thread == me || clocks_.ordered(time_of(by), thread / kWarp, me / kWarp);
}

bool Tracer::reads_ordered(const Past& past, unsigned me) const {
  if ((past.reader & kSeveral) == 0 || block_of(past.read) != id_)
    return ordered(past.read, past.reader & kThread, me);
  const Clocks::Times* dates = (past.reader & kDated) != 0 ? &dates_[past.read_warps] : nullptr;
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if (dates != nullptr ? (*dates)[warp] == 0 : (past.read_warps >> warp & 1) == 0) continue;
    const std::uint32_t time = dates != nullptr ? (*dates)[warp] : time_of(past.read);
    if (!clocks_.ordered(time, warp, me / kWarp)) return false;
  }
  return true;
}

// One more warp has read a word that others have, and nothing orders them.
void Tracer::add_reader(Past& past, unsigned warp) {
  const std::uint32_t time = clocks_.since(warp), others = time_of(past.read);
  past.read = std::max(past.read, mine_ | time);
  if ((past.reader & kDated) == 0) {
    // When the lists are full, all are taken to have read it at the last of the times, which may tell of too much.
    if (time == others || dates_.size() == kMostDates) {
      past.read_warps |= 1u << warp;
      return;
    }
    Clocks::Times dates{};
    for (unsigned w = 0; w < warps_; ++w) dates[w] = (past.read_warps >> w & 1) != 0 ? others : 0;
    past.read_warps = static_cast<std::uint32_t>(dates_.size());
    past.reader |= kDated;
    dates_.push_back(dates);
  }
  dates_[past.read_warps][warp] = time;
}

inline void Tracer::remember_read(Past& past, unsigned thread, bool step, SiteId site) {
  const Mark now = mine_ | clocks_.since(thread / kWarp);
  if (past.read >= floor_ && block_of(past.read) != id_) {
    if (block_of(past.read) != launch_) past.read = mark(launch_, 0);  // stands for several blocks of this launch
    if (!step && (past.reader & kAtomic) != 0) past.reader &= static_cast<std::uint16_t>(~kAtomic);
    return;
  }
  const bool mine = past.read >= floor_ && (past.reader & (kThread | kSeveral)) == thread;
  if (mine) {
    past.read = now;
    if (!step) past.reader = static_cast<std::uint16_t>(thread);
  } else if (past.read - mine_ < clocks_.all() || past.read < floor_ ||
             ((past.reader & kSeveral) == 0 && ordered(past.read, past.reader & kThread, thread))) {
    past.read = now, past.read_site = site, past.read_warps = 1u << thread / kWarp;
    past.reader = static_cast<std::uint16_t>(thread | (step ? kAtomic : 0));
  } else {
    add_reader(past, thread / kWarp);
    past.reader = static_cast<std::uint16_t>((past.reader | kSeveral) & (step ? ~0 : ~kAtomic));
  }
}

inline void Tracer::check_word(Past& past, unsigned thread, unsigned kind, SiteId site, std::uint64_t address) {
  const bool store = (kind & kStore) != 0, step = (kind & (kStep | kRelaxed)) != 0, shared = (kind & kShared) != 0;
  if (shared) {
    if (block_of(past.written) != id_) past.written = 0;
    if (block_of(past.read) != id_) past.read = 0;
  }
  const bool both_steps = step && (past.writer & kAtomic) != 0;
  if (!is_past<false>(past.written) && !both_steps && !ordered(past.written, past.writer & kThread, thread))
      [[unlikely]]
    race(past, false, thread, kind, site, address);
  if (!store) {
    remember_read(past, thread, step, site);
    return;
  }
  const bool all_steps = step && (past.reader & kAtomic) != 0;
  if (!is_past<false>(past.read) && !all_steps && !reads_ordered(past, thread)) [[unlikely]]
    race(past, true, thread, kind, site, address);
  past.written = mine_ | clocks_.since(thread / kWarp), past.write_site = site;
  past.writer = static_cast<std::uint16_t>(thread | (step ? kAtomic : 0));
  past.read = 0;  // reads from before are ordered before this write, or have been told
}

// Bytes of a word that must have been written, or are now.
inline void Tracer::check_written(const Words& word, unsigned mask, unsigned thread, unsigned kind, SiteId site,
                                  std::uint64_t address) {
  if ((kind & kStore) != 0 && (kind & kStep) == 0) {
    *word.written |= static_cast<std::uint8_t>(mask);
  } else if ((*word.written & mask) != mask) [[unlikely]] {
    judged_ = thread;
    not_there(*word.past, *word.written, mask, site, real_address(address, (kind & kShared) != 0));
    judged_ = kNobody;
  }
}

// The pasts of the four bytes of a word.
Past* Tracer::bytes_at(std::uint64_t address, bool shared) {
  if (shared) {
    if (shared_bytes_past_.size() < 4 * shared_past_.size()) shared_bytes_past_.resize(4 * shared_past_.size());
    return &shared_bytes_past_[address & ~std::uint64_t{3}];
  }
  Region* region = nullptr;
  for (const Recent& recent : recent_) {
    if (address - recent.start < recent.bytes) region = recent.region;
  }
  if (region == nullptr) region = region_of(address);
  return past_of_bytes(*region) + ((address - region->start) & ~std::uint64_t{3});
}

// Some or all bytes of a word some of whose bytes are, or were, accessed alone: neighbours may share a word.
void Tracer::check_bytes(const Words& word, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                         SiteId site) {
  Past* past = bytes_at(address, (kind & kShared) != 0);
  if ((*word.written & kBytewise) == 0) {
    std::fill_n(past, 4, *word.past);
    *word.written |= kBytewise;
  }
  for (unsigned i = 0; i < bytes; ++i) check_word(past[address % 4 + i], thread, kind, site, address + i);
  if (bytes < 4 || (kind & kStore) == 0) return;
  *word.past = past[0];
  *word.written &= static_cast<std::uint8_t>(~kBytewise);
}

inline void Tracer::check_access(Words at, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                                 SiteId site) {
  if (bytes < 4) {  // aligned, so within a word
    check_bytes(at, thread, address, bytes, kind, site);
    check_written(at, ((1u << bytes) - 1) << address % 4, thread, kind, site, address);
    return;
  }
  for (unsigned i = 0; i < bytes / 4; ++i, ++at.past, ++at.written) {
    if ((*at.written & kBytewise) != 0) [[unlikely]] {
      check_bytes(at, thread, address + 4 * i, 4, kind, site);
    } else {
      check_word(*at.past, thread, kind, site, address + 4 * i);
    }
    check_written(at, 0xf, thread, kind, site, address + 4 * i);
  }
}

void Tracer::check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step,
                         SiteId site) {
  const auto kind =
      static_cast<std::uint8_t>((store ? kStore : 0) | (step ? kStep : 0) | (target.shared ? kShared : 0));
  check_access({target.past, target.written}, block_->self().linear, target.shared ? target.address : address, bytes,
               kind, site);
}

void Tracer::flush(unsigned thread) {
  Log& log = logs_[thread];
  for (const Entry* at = log.begin() + log.checked; at != log.next; ++at) {
    check_access(words_at(at->address, (at->kind() & kShared) != 0), thread, at->address, at->bytes(), at->kind(),
                 at->site());
  }
  log.checked = log.size();
}

// Neighbouring words, `each` of them for a lane, all lanes: where all have the same past they are taken together.
// False if they have not, and nothing has been altered.
template <bool shared> bool Tracer::load_row(const Words& row, unsigned each, unsigned warp, SiteId site) {
  if (!clocks_.level()) return false;
  const unsigned words = kWarp * each;
  const Mark read = row.past[0].read;
  Mark differ = 0;
  bool fine = true;
  unsigned flags = 0, all = 0xf, any = 0;
  for (unsigned i = 0; i < words; ++i) {
    const Past& past = row.past[i];
    fine &= is_past<shared>(past.written);
    differ |= past.read ^ read;
    flags |= past.reader;
  }
  for (unsigned i = 0; i < words; ++i) all &= row.written[i], any |= row.written[i];
  if (!fine || differ != 0 || (flags & kAtomic) != 0 || all != 0xf || (any & kBytewise) != 0) return false;

  const unsigned first = warp * kWarp, bit = 1u << warp;
  if (is_past<shared>(read)) {
    const Mark now = mine_ | clocks_.since(warp);
    for (unsigned i = 0; i < words; ++i) {
      Past& past = row.past[i];
      past.read = now, past.read_site = site, past.read_warps = bit;
      past.reader = static_cast<std::uint16_t>(first + i / each);
    }
  } else if (block_of(read) == id_) {  // and dated as we are
    for (unsigned i = 0; i < words; ++i) {
      Past& past = row.past[i];
      past.read_warps |= bit;
      if (past.reader != first + i / each) past.reader |= kSeveral;
    }
  } else if (block_of(read) != launch_) {
    for (unsigned i = 0; i < words; ++i) row.past[i].read = mark(launch_, 0);
  }
  return true;
}

template <bool shared> bool Tracer::store_row(const Words& row, unsigned each, unsigned warp, SiteId site) {
  const unsigned words = kWarp * each;
  bool fine = true;
  unsigned any = 0;
  for (unsigned i = 0; i < words; ++i)
    fine &= is_past<shared>(row.past[i].written) & is_past<shared>(row.past[i].read);
  for (unsigned i = 0; i < words; ++i) any |= row.written[i];
  if (!fine || (any & kBytewise) != 0) return false;
  const Mark now = mine_ | clocks_.since(warp);
  for (unsigned i = 0; i < words; ++i) {
    Past& past = row.past[i];
    past.written = now, past.write_site = site, past.writer = static_cast<std::uint16_t>(warp * kWarp + i / each);
    past.read = 0;
  }
  for (unsigned i = 0; i < words; ++i) row.written[i] |= 0xf;
  return true;
}

// Whether a load by a thread of this warp changes nothing that is known of a word: it is ordered, and the word's last
// readers are several blocks, or threads of several warps of which this is one.
template <bool shared> inline bool Tracer::is_known(const Words& at, unsigned warp) const {
  const Past& past = *at.past;
  const bool by_all = !shared && block_of(past.read) == launch_;
  const bool by_us = past.read == (mine_ | clocks_.since(warp)) && (past.reader & (kSeveral | kDated)) == kSeveral &&
                     (past.read_warps >> warp & 1) != 0;
  return is_past<shared>(past.written) && (by_all || by_us) && (past.reader & kAtomic) == 0 && *at.written == 0xf;
}

template <bool shared> void Tracer::check_lanes(const Request& request, unsigned kind, SiteId site, unsigned warp) {
  const bool word_load = request.bytes == 4 && (kind & kStore) == 0;
  std::uint64_t start = 0, bytes = 0;  // of the memory that the last lane was in: the next is mostly in the same
  Words first;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t address = request.address[lane];
    if (address - start >= bytes) {
      const Extent extent = extent_at(address, shared);
      start = extent.start, bytes = extent.bytes, first = extent.first;
    }
    const std::size_t word = (address - start) / 4;
    const Words at = {first.past + word, first.written + word};
    if (word_load && is_known<shared>(at, warp)) continue;
    check_access(at, warp * kWarp + lane, address, request.bytes, kind, site);
  }
}

void Tracer::check_request(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp) {
  const bool shared = (kind & kShared) != 0, store = (kind & kStore) != 0;
  if (shape == Shape::row && request.bytes >= 4 && (kind & (kStep | kRelaxed)) == 0) {
    const Words row = words_at(request.address[0], shared);
    const unsigned each = request.bytes / 4;
    const bool done =
        shared ? (store ? store_row<true>(row, each, warp, site) : load_row<true>(row, each, warp, site))
               : (store ? store_row<false>(row, each, warp, site) : load_row<false>(row, each, warp, site));
    if (done) return;
  } else if (shape == Shape::one && !store) {
    // Two of the lanes leave the same as all: several threads of this warp have read it. And if the word is a third's
    // or one of theirs, and unordered, one of them at least will tell.
    const std::uint32_t rest = request.lanes & (request.lanes - 1);
    for (std::uint32_t two = (request.lanes ^ rest) | (rest & -rest); two != 0; two &= two - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(two));
      const std::uint64_t address = request.address[lane];
      check_access(words_at(address, shared), warp * kWarp + lane, address, request.bytes, kind, site);
    }
    return;
  }
  shared ? check_lanes<true>(request, kind, site, warp) : check_lanes<false>(request, kind, site, warp);
}

}  // namespace cairn::emu
