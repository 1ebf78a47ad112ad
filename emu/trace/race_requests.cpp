// Whether the accesses of a request are ordered, looked at together when a warp's logs are drained: the 32 words of
// most requests are neighbours and have the same past, or are one word. The rest goes to races.cpp, access by access.
//
// What a thread has done since its last event is dated by that event (clocks.hpp), so it does not matter how late it
// is looked at, as long as that is before the next one: flush() sees to that where a single thread has an event of
// its own.
#include "emu/trace/tracer.hpp"

namespace cairn::emu {

inline Tracer::Words Tracer::words_at(std::uint64_t address, bool shared) {
  const Extent extent = extent_at(address, shared);
  const std::size_t word = (address - extent.start) / 4;
  return {extent.first.past + word, extent.first.written + word};
}

// A load of a word by one thread, if nothing is odd about it and all warps met at the last event, so that what was
// done since has one date. False if it must be looked at more closely, and then nothing has been altered.
template <bool shared> inline bool Tracer::load_word(const Words& at, unsigned thread, SiteId site) {
  Past& past = *at.past;
  if (!is_past<shared>(past.written) || *at.written != 0xf || (past.reader & kAtomic) != 0) return false;
  const unsigned bit = 1u << thread / kWarp;
  if (is_past<shared>(past.read)) {
    past.read = mine_ | clocks_.all(), past.read_site = site, past.read_warps = bit;
    past.reader = static_cast<std::uint16_t>(thread);
  } else if (block_of(past.read) == id_) {
    past.read_warps |= bit;
    if (past.reader != thread) past.reader |= kSeveral;
  } else if (block_of(past.read) != launch_) {
    past.read = mark(launch_, 0);  // stands for several blocks of this launch
  }
  return true;
}

// Neighbouring words of one thread. False if one of them must be looked at more closely.
template <bool shared> inline bool Tracer::load_words(const Words& at, unsigned words, unsigned thread, SiteId site) {
  for (unsigned i = 0; i < words; ++i) {
    if (!load_word<shared>({at.past + i, at.written + i}, thread, site)) return false;
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
    if (level && bytes >= 4 && (kind & (kStore | kStep | kRelaxed)) == 0 &&
        (shared ? load_words<true>(at, bytes / 4, thread, entry->site())
                : load_words<false>(at, bytes / 4, thread, entry->site())))
      continue;
    check_access(at, thread, entry->address, bytes, kind, entry->site());
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

template <bool shared> void Tracer::check_lanes(const Request& request, unsigned kind, SiteId site, unsigned warp) {
  const bool quick = request.bytes >= 4 && (kind & (kStore | kStep | kRelaxed)) == 0 && clocks_.level();
  const unsigned each = request.bytes / 4;
  std::uint64_t start = 0, bytes = 0;  // of the memory that the last lane was in: the next is mostly in the same
  std::uint64_t last = 0;              // what the lane before loaded, if that was quick
  Words first, at;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t address = request.address[lane];
    if (address == last && last != 0) {
      for (unsigned i = 0; i < each; ++i) at.past[i].reader |= kSeveral;
      continue;
    }
    if (address - start >= bytes) {
      const Extent extent = extent_at(address, shared);
      start = extent.start, bytes = extent.bytes, first = extent.first;
    }
    const std::size_t word = (address - start) / 4;
    const unsigned thread = warp * kWarp + lane;
    at = {first.past + word, first.written + word};
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
