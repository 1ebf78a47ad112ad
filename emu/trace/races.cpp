// Checks an access of one thread, word by word: is it ordered with other threads'
// accesses, has the word been written.
#include <algorithm>
#include <atomic>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

Tracer::Extent Tracer::extent_at(std::uint64_t address, bool shared) {
  if (shared) return {0, shared_history_.size() * 4, {shared_history_.data(), shared_written_.data()}};
  for (const Recent& recent : recent_) {
    if (address - recent.start < recent.bytes)
      return {recent.start, recent.bytes, {recent.region->history, recent.region->written}};
  }
  const Region& region = *region_of(address);  // device memory is not freed while a kernel runs
  return {region.start, region.bytes, {region.history, region.written}};
}

bool Tracer::ordered(Mark by, unsigned thread, unsigned me) const {
  if (by < floor_) return true;
  if (block_of(by) != id_) return predecessors_.contains(block_of(by));
  return thread == me || clocks_.ordered(time_of(by), thread / kWarp, me / kWarp);
}

bool Tracer::reads_ordered(const AccessHistory& history, unsigned me) const {
  if ((history.reader & kSeveral) == 0 || block_of(history.read) != id_)
    return ordered(history.read, history.reader & kThread, me);
  const ReadTimes::List* times = (history.reader & kTimesDiffer) != 0 ? &read_times_[history.read_warps] : nullptr;
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if (times != nullptr ? (*times)[warp] == 0 : (history.read_warps >> warp & 1) == 0) continue;
    const std::uint32_t time = times != nullptr ? (*times)[warp] : time_of(history.read);
    if (!clocks_.ordered(time, warp, me / kWarp)) return false;
  }
  return true;
}

// One more warp has read a word that other warps have read, unordered with it.
void Tracer::add_reader(AccessHistory& history, unsigned warp) {
  const std::uint32_t time = clocks_.since(warp), others = time_of(history.read);
  history.read = std::max(history.read, mine_ | time);
  if ((history.reader & kTimesDiffer) != 0) {
    if (read_times_[history.read_warps][warp] == time) return;
    if (!read_times_.full()) history.read_warps = read_times_.with(history.read_warps, warp, time);
    return;
  }
  // When the lists are full, all warps count as having read at the latest time, which may report too much.
  if (time == others || read_times_.full()) {
    history.read_warps |= 1u << warp;
  } else {
    history.read_warps = read_times_.with(history.read_warps, others, warp, time);
    history.reader |= kTimesDiffer;
  }
}

inline void Tracer::remember_read(AccessHistory& history, unsigned thread, bool step, SiteId site) {
  const Mark now = mine_ | clocks_.since(thread / kWarp);
  if (history.read >= floor_ && block_of(history.read) != id_) {
    if (block_of(history.read) != launch_)
      history.read = mark(launch_, 0);  // stands for several blocks of this launch
    if (!step && (history.reader & kAtomic) != 0) history.reader &= static_cast<std::uint16_t>(~kAtomic);
    return;
  }
  const bool mine = history.read >= floor_ && (history.reader & (kThread | kSeveral)) == thread;
  if (mine) {
    history.read = now;
    if (!step) history.reader = static_cast<std::uint16_t>(thread);
  } else if (history.read - mine_ < clocks_.all() || history.read < floor_ ||
             ((history.reader & kSeveral) == 0 && ordered(history.read, history.reader & kThread, thread))) {
    history.read = now, history.read_site = site, history.read_warps = 1u << thread / kWarp;
    history.reader = static_cast<std::uint16_t>(thread | (step ? kAtomic : 0));
  } else {
    add_reader(history, thread / kWarp);
    history.reader = static_cast<std::uint16_t>((history.reader | kSeveral) & (step ? ~0 : ~kAtomic));
  }
}

inline void Tracer::check_word(AccessHistory& history, unsigned thread, unsigned kind, SiteId site,
                               std::uint64_t address) {
  const bool store = (kind & kStore) != 0, step = (kind & (kAtomicAccess | kRelaxed)) != 0,
             shared = (kind & kShared) != 0;
  if (shared) {
    if (block_of(history.written) != id_) history.written = 0;
    if (block_of(history.read) != id_) history.read = 0;
  }
  const bool both_atomic = step && (history.writer & kAtomic) != 0;
  if (!is_past<false>(history.written) && !both_atomic && !ordered(history.written, history.writer & kThread, thread))
      [[unlikely]]
    race(history, false, thread, kind, site, address);
  if (!store) {
    remember_read(history, thread, step, site);
    return;
  }
  const bool all_atomic = step && (history.reader & kAtomic) != 0;
  if (!is_past<false>(history.read) && !all_atomic && !reads_ordered(history, thread)) [[unlikely]]
    race(history, true, thread, kind, site, address);
  history.written = mine_ | clocks_.since(thread / kWarp), history.write_site = site;
  history.writer = static_cast<std::uint16_t>(thread | (step ? kAtomic : 0));
  history.read = 0;  // reads from before are ordered before this write, or have been reported
}

// Blocks on other OS threads may write other bytes of the same word: at the edge of a tile of 16-bit numbers.
static void set_bits(std::uint8_t& written, unsigned bits) {
  if ((written & bits) == bits) return;
  std::atomic_ref(written).fetch_or(static_cast<std::uint8_t>(bits), std::memory_order_relaxed);
}

// Bytes of a word that must have been written, or are now.
inline void Tracer::check_written(const Words& word, unsigned mask, unsigned thread, unsigned kind, SiteId site,
                                  std::uint64_t address) {
  if ((kind & kStore) != 0 && (kind & kAtomicAccess) == 0) {
    set_bits(*word.written, mask);
  } else if ((*word.written & mask) != mask) [[unlikely]] {
    checked_thread_ = thread;
    not_written(*word.history, *word.written, mask, site, real_address(address, (kind & kShared) != 0));
    checked_thread_ = kNobody;
  }
}

// The pasts of the four bytes of a word.
AccessHistory* Tracer::byte_histories_at(std::uint64_t address, bool shared) {
  if (shared) {
    if (shared_byte_history_.size() < 4 * shared_history_.size())
      shared_byte_history_.resize(4 * shared_history_.size());
    return &shared_byte_history_[address & ~std::uint64_t{3}];
  }
  Region* region = nullptr;
  for (const Recent& recent : recent_) {
    if (address - recent.start < recent.bytes) region = recent.region;
  }
  if (region == nullptr) region = region_of(address);
  return byte_histories(*region) + ((address - region->start) & ~std::uint64_t{3});
}

// An access of a word some of whose bytes are, or were, accessed alone, since different threads may use them.
void Tracer::check_bytes(const Words& word, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                         SiteId site) {
  AccessHistory* history = byte_histories_at(address, (kind & kShared) != 0);
  if ((*word.written & kBytewise) == 0) {
    std::fill_n(history, 4, *word.history);
    set_bits(*word.written, kBytewise);
  }
  for (unsigned i = 0; i < bytes; ++i) check_word(history[address % 4 + i], thread, kind, site, address + i);
  if (bytes < 4 || (kind & kStore) == 0) return;
  *word.history = history[0];
  std::atomic_ref(*word.written).fetch_and(static_cast<std::uint8_t>(~kBytewise), std::memory_order_relaxed);
}

void Tracer::check_access(Words at, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                          SiteId site) {
  if (bytes < 4) {  // aligned, so within a word
    check_bytes(at, thread, address, bytes, kind, site);
    check_written(at, ((1u << bytes) - 1) << address % 4, thread, kind, site, address);
    return;
  }
  for (unsigned i = 0; i < bytes / 4; ++i, ++at.history, ++at.written) {
    if ((*at.written & kBytewise) != 0) [[unlikely]] {
      check_bytes(at, thread, address + 4 * i, 4, kind, site);
    } else {
      check_word(*at.history, thread, kind, site, address + 4 * i);
    }
    check_written(at, 0xf, thread, kind, site, address + 4 * i);
  }
}

void Tracer::check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step,
                         SiteId site) {
  const auto kind =
      static_cast<std::uint8_t>((store ? kStore : 0) | (step ? kAtomicAccess : 0) | (target.shared ? kShared : 0));
  check_access({target.history, target.written}, block_->self().linear, target.shared ? target.address : address,
               bytes, kind, site);
}

}  // namespace cairn::emu
