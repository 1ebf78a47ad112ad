// The async proxy: wgmma and stores of the copy engine read shared memory on their own, from when they are issued
// until somebody has waited for them. What threads have stored there they see only if each of these said so by
// fence_proxy_async(), between its store and the barrier that orders the two.
//
// Such a read is one by the thread that issues it, made twice: when it is issued, and when it is done. A store that
// is ordered behind the first and not behind the second has come between.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

void Tracer::proxy_fence() {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  flush(thread);
  if (proxy_fences_.empty()) proxy_fences_.resize(block_->threads().size());
  proxy_fences_[thread].push_back(clocks_.since(thread / kWarp));
  clocks_.begin_anew(thread / kWarp);
}

// Whether the one who wrote it has fenced since, before what `thread` does now.
bool Tracer::is_fenced(const Past& past, unsigned thread) const {
  const unsigned writer = past.writer & kThread;
  if (writer >= kEngineThread || block_of(past.written) != id_) return true;
  if (proxy_fences_.empty()) return false;
  const auto& fences = proxy_fences_[writer];
  const auto first = std::ranges::lower_bound(fences, time_of(past.written));
  return first != fences.end() && ordered(mine_ | *first, writer, thread);
}

void Tracer::not_fenced(const Past& past, std::uintptr_t address, const char* reader, SiteId site) {
  add_caught({Fault::race, site, past.write_site, std::string(reader) + " reads " + memory_at(address) + " at ",
              ", and " + writer_name(past) + " writes it at ",
              " with no fence_proxy_async() of its own between that and the barrier that orders the two"});
}

void Tracer::check_proxy(const Words& word, std::uint64_t address, const char* reader, SiteId site) {
  const unsigned thread = block_->self().linear;
  check_access(word, thread, address, 4, kShared, site);
  if ((*word.written & kInFlight) != 0) return;
  const Past* past = word.past;
  const unsigned pieces = (*word.written & kBytewise) != 0 ? 4 : 1;
  if (pieces == 4) past = bytes_at(address, true);
  for (unsigned i = 0; i < pieces; ++i) {
    // What is not ordered at all has been told.
    if (!is_fenced(past[i], thread) && ordered(past[i].written, past[i].writer & kThread, thread))
      not_fenced(past[i], real_address(address, true), reader, site);
  }
}

void Tracer::reading_begins(std::deque<Reading>& all, const Target& target, std::size_t bytes, const char* reader,
                            SiteId site) {
  const unsigned thread = block_->self().linear;
  flush(thread);
  Issued issued = {thread, block_->turns(), logs_[thread].size(), clocks_.now()};
  if (issued != issued_) {
    clocks_.begin_anew(thread / kWarp);
    issued.now = clocks_.now();
    issued_ = issued;
  }
  // Neighbours mostly have the same past, and then the same comes of it.
  Past before, after;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    Past& past = target.past[i];
    if (i > 0 && target.written[i] == 0xf && target.written[i - 1] == 0xf && past == before) {
      past = after;
      continue;
    }
    before = past;
    check_proxy({&past, &target.written[i]}, target.address + 4 * i, reader, site);
    after = past;
  }
  all.push_back({target.address, bytes, issued_.now - 1});
}

void Tracer::reading_ends(std::deque<Reading>& all, const Target& target, std::size_t bytes, const char* reader,
                          SiteId site) {
  const unsigned thread = block_->self().linear;
  flush(thread);
  const auto begun = std::ranges::find_if(
      all, [&](const Reading& one) { return one.address == target.address && one.bytes == bytes; });
  const std::uint32_t since = begun == all.end() ? ~0u : begun->since;
  if (begun != all.end()) all.erase(begun);
  Past before, after;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    Past& past = target.past[i];
    if (i > 0 && target.written[i] == 0xf && target.written[i - 1] == 0xf && past == before) {
      past = after;
      continue;
    }
    before = past;
    if (block_of(past.written) == id_ && time_of(past.written) > since) {
      add_caught({Fault::race, site, past.write_site,
                  std::string(reader) + " reads " + memory_at(real_address(target.address + 4 * i, true)) + " at ",
                  ", and " + writer_name(past) + ((past.writer & kCopy) != 0 ? " copies to" : " writes") + " it at ",
                  " before it is done: its wait must come first"});
    } else {
      check_access({&past, &target.written[i]}, thread, target.address + 4 * i, 4, kShared, site);
    }
    after = past;
  }
}

void Tracer::operand_issued(const void* start, std::size_t bytes, const Site& where) {
  if (!detect_) return;
  const SiteId site = site_of_call(where);
  reading_begins(operands_[block_->self().linear / (4 * kWarp)], box_target(start, bytes, false, site), bytes,
                 "wgmma", site);
}

void Tracer::operand_read(const void* start, std::size_t bytes, const Site& where) {
  if (!detect_) return;
  const SiteId site = site_of_call(where);
  reading_ends(operands_[block_->self().linear / (4 * kWarp)], box_target(start, bytes, false, site), bytes, "wgmma",
               site);
}

}  // namespace cairn::emu
