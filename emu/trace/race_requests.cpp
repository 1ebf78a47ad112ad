// Checks the accesses of a request together when a warp's logs are drained: the 32 words of most requests are
// adjacent and have the same history, or are one word. Other requests are checked by races.cpp, access by access.
//
// An access has the time of its warp's last event (vector_clocks.hpp), so it can be checked at any moment before the
// next event. flush() does so before an event of a single thread.
#include "emu/trace/tracer.hpp"

namespace cairn::emu {

inline Tracer::Words Tracer::words_at(std::uint64_t address, bool shared) {
  const Extent extent = extent_at(address, shared);
  const std::size_t word = (address - extent.start) / 4;
  return {extent.first.history + word, extent.first.written + word};
}

// The fast path for a load of a word by one thread, when all warps synchronized at the last event, so that all
// accesses since have the same time. Returns false, with nothing changed, if the word needs the full check.
template <bool shared> inline bool Tracer::load_word(const Words& at, unsigned thread, SiteId site) {
  AccessHistory& history = *at.history;
  if (!is_past<shared>(history.written) || *at.written != 0xf || (history.reader & kAtomic) != 0) return false;
  const unsigned bit = 1u << thread / kWarp;
  if (is_past<shared>(history.read)) {
    history.read = mine_ | clocks_.all(), history.read_site = site, history.read_warps = bit;
    history.reader = static_cast<std::uint16_t>(thread);
  } else if (block_of(history.read) == id_) {
    history.read_warps |= bit;
    if (history.reader != thread) history.reader |= kSeveral;
  } else if (block_of(history.read) != launch_) {
    history.read = mark(launch_, 0);  // stands for several blocks of this launch
  }
  return true;
}

// Adjacent words of one thread. Returns false if one of them needs the full check.
template <bool shared> inline bool Tracer::load_words(const Words& at, unsigned words, unsigned thread, SiteId site) {
  for (unsigned i = 0; i < words; ++i) {
    if (!load_word<shared>({at.history + i, at.written + i}, thread, site)) return false;
  }
  return true;
}

void Tracer::flush(unsigned thread) {
  Log& log = logs_[thread];
  const bool level = clocks_.level();
  for (const Entry* entry = log.begin() + log.checked; entry != log.next; ++entry) {
    const unsigned kind = entry->kind(), bytes = entry->bytes();
    const bool shared = (kind & kShared) != 0;
    const Words at = words_at(entry->address, shared);
    if (level && bytes >= 4 && (kind & (kStore | kAtomicAccess | kRelaxed)) == 0 &&
        (shared ? load_words<true>(at, bytes / 4, thread, entry->site())
                : load_words<false>(at, bytes / 4, thread, entry->site())))
      continue;
    check_access(at, thread, entry->address, bytes, kind, entry->site());
  }
  log.checked = log.size();
}

// Adjacent words, `each` for every lane of the warp, if all have the same history. Returns false, with
// nothing changed, if they do not.
template <bool shared> bool Tracer::load_row(const Words& row, unsigned each, unsigned warp, SiteId site) {
  if (!clocks_.level()) return false;
  const unsigned words = kWarp * each;
  const Mark read = row.history[0].read;
  Mark differ = 0;
  bool fine = true;
  unsigned flags = 0, all = 0xf, any = 0;
  for (unsigned i = 0; i < words; ++i) {
    const AccessHistory& history = row.history[i];
    fine &= is_past<shared>(history.written);
    differ |= history.read ^ read;
    flags |= history.reader;
  }
  for (unsigned i = 0; i < words; ++i) all &= row.written[i], any |= row.written[i];
  if (!fine || differ != 0 || (flags & kAtomic) != 0 || all != 0xf || (any & kBytewise) != 0) return false;

  const unsigned first = warp * kWarp, bit = 1u << warp;
  if (is_past<shared>(read)) {
    const Mark now = mine_ | clocks_.since(warp);
    for (unsigned i = 0; i < words; ++i) {
      AccessHistory& history = row.history[i];
      history.read = now, history.read_site = site, history.read_warps = bit;
      history.reader = static_cast<std::uint16_t>(first + i / each);
    }
  } else if (block_of(read) == id_) {  // and at the same time
    for (unsigned i = 0; i < words; ++i) {
      AccessHistory& history = row.history[i];
      history.read_warps |= bit;
      if (history.reader != first + i / each) history.reader |= kSeveral;
    }
  } else if (block_of(read) != launch_) {
    for (unsigned i = 0; i < words; ++i) row.history[i].read = mark(launch_, 0);
  }
  return true;
}

template <bool shared> bool Tracer::store_row(const Words& row, unsigned each, unsigned warp, SiteId site) {
  const unsigned words = kWarp * each;
  bool fine = true;
  unsigned any = 0;
  for (unsigned i = 0; i < words; ++i)
    fine &= is_past<shared>(row.history[i].written) & is_past<shared>(row.history[i].read);
  for (unsigned i = 0; i < words; ++i) any |= row.written[i];
  if (!fine || (any & kBytewise) != 0) return false;
  const Mark now = mine_ | clocks_.since(warp);
  for (unsigned i = 0; i < words; ++i) {
    AccessHistory& history = row.history[i];
    history.written = now, history.write_site = site,
    history.writer = static_cast<std::uint16_t>(warp * kWarp + i / each);
    history.read = 0;
  }
  for (unsigned i = 0; i < words; ++i) row.written[i] |= 0xf;
  return true;
}

template <bool shared> void Tracer::check_lanes(const Request& request, unsigned kind, SiteId site, unsigned warp) {
  const bool quick = request.bytes >= 4 && (kind & (kStore | kAtomicAccess | kRelaxed)) == 0 && clocks_.level();
  const unsigned each = request.bytes / 4;
  std::uint64_t start = 0, bytes = 0;  // of the last lane's array or allocation: the next lane's is mostly the same
  std::uint64_t last = 0;              // what the lane before loaded, if by the fast path
  Words first, at;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t address = request.address[lane];
    if (address == last && last != 0) {
      for (unsigned i = 0; i < each; ++i) at.history[i].reader |= kSeveral;
      continue;
    }
    if (address - start >= bytes) {
      const Extent extent = extent_at(address, shared);
      start = extent.start, bytes = extent.bytes, first = extent.first;
    }
    const std::size_t word = (address - start) / 4;
    const unsigned thread = warp * kWarp + lane;
    at = {first.history + word, first.written + word};
    last = 0;
    if (quick && load_words<shared>(at, each, thread, site)) {
      last = address;
    } else {
      check_access(at, thread, address, request.bytes, kind, site);
    }
  }
}

void Tracer::check_request(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp) {
  const bool shared = (kind & kShared) != 0, store = (kind & kStore) != 0;
  if (shape == Shape::row && request.bytes >= 4 && (kind & (kAtomicAccess | kRelaxed)) == 0) {
    const Words row = words_at(request.address[0], shared);
    const unsigned each = request.bytes / 4;
    const bool completed =
        shared ? (store ? store_row<true>(row, each, warp, site) : load_row<true>(row, each, warp, site))
               : (store ? store_row<false>(row, each, warp, site) : load_row<false>(row, each, warp, site));
    if (completed) return;
  } else if (shape == Shape::one && !store) {
    // Two lanes leave the same history as all: several threads of this warp have read the word. If its writer is
    // unordered with them, at least one of the two is not the writer and reports it.
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
