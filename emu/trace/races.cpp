// Is an access of one thread ordered with what others have done to the same words, and is there something to read.
#include <algorithm>
#include <atomic>

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

bool Tracer::ordered(Mark by, unsigned thread, unsigned me) const {
  if (by < floor_) return true;
  if (block_of(by) != id_) return behind_.contains(block_of(by));
  return thread == me || clocks_.ordered(time_of(by), thread / kWarp, me / kWarp);
}

bool Tracer::reads_ordered(const Past& past, unsigned me) const {
  if ((past.reader & kSeveral) == 0 || block_of(past.read) != id_)
    return ordered(past.read, past.reader & kThread, me);
  const ReadDates::Dates* dates = (past.reader & kDated) != 0 ? &dates_[past.read_warps] : nullptr;
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
  if ((past.reader & kDated) != 0) {
    if (dates_[past.read_warps][warp] == time) return;
    if (!dates_.full()) past.read_warps = dates_.with(past.read_warps, warp, time);
    return;
  }
  // When the lists are full, all are taken to have read it at the last of the times, which may tell of too much.
  if (time == others || dates_.full()) {
    past.read_warps |= 1u << warp;
  } else {
    past.read_warps = dates_.with(past.read_warps, others, warp, time);
    past.reader |= kDated;
  }
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

// Blocks on other OS threads may write other bytes of the same word: at the edge of a tile of 16-bit numbers.
static void set_bits(std::uint8_t& written, unsigned bits) {
  if ((written & bits) == bits) return;
  std::atomic_ref(written).fetch_or(static_cast<std::uint8_t>(bits), std::memory_order_relaxed);
}

// Bytes of a word that must have been written, or are now.
inline void Tracer::check_written(const Words& word, unsigned mask, unsigned thread, unsigned kind, SiteId site,
                                  std::uint64_t address) {
  if ((kind & kStore) != 0 && (kind & kStep) == 0) {
    set_bits(*word.written, mask);
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
    set_bits(*word.written, kBytewise);
  }
  for (unsigned i = 0; i < bytes; ++i) check_word(past[address % 4 + i], thread, kind, site, address + i);
  if (bytes < 4 || (kind & kStore) == 0) return;
  *word.past = past[0];
  std::atomic_ref(*word.written).fetch_and(static_cast<std::uint8_t>(~kBytewise), std::memory_order_relaxed);
}

void Tracer::check_access(Words at, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
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

}  // namespace cairn::emu
