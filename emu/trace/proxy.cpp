// The async proxy: wgmma and TMA stores read shared memory from when they are issued until they have been waited
// for. They see what a thread has stored there only if that thread executes fence_proxy_async() between its store
// and the barrier that orders the two.
//
// Such a read is checked twice as one of the thread that issues it: when it is issued, and when it is complete. A
// store ordered after the first and not after the second is a race.
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

// Whether the writer has executed a proxy fence since, ordered before what `thread` does now.
bool Tracer::is_fenced(const AccessHistory& history, unsigned thread) const {
  const unsigned writer = history.writer & kThread;
  if (writer >= kTmaThread || block_of(history.written) != id_) return true;
  if (proxy_fences_.empty()) return false;
  const auto& fences = proxy_fences_[writer];
  const auto first = std::ranges::lower_bound(fences, time_of(history.written));
  return first != fences.end() && ordered(mine_ | *first, writer, thread);
}

void Tracer::not_fenced(const AccessHistory& history, std::uintptr_t address, const char* reader, SiteId site) {
  add_finding({Fault::race, site, history.write_site, std::string(reader) + " reads " + memory_at(address) + " at ",
               ", and " + writer_name(history) + " writes it at ",
               " with no fence_proxy_async() of its own between that and the barrier that orders the two"});
}

void Tracer::check_proxy(const Words& word, std::uint64_t address, const char* reader, SiteId site) {
  const unsigned thread = block_->self().linear;
  check_access(word, thread, address, 4, kShared, site);
  if ((*word.written & kInFlight) != 0) return;
  const AccessHistory* history = word.history;
  const unsigned parts = (*word.written & kBytewise) != 0 ? 4 : 1;
  if (parts == 4) history = byte_histories_at(address, true);
  for (unsigned i = 0; i < parts; ++i) {
    // Accesses that are not ordered at all were reported by check_access.
    if (!is_fenced(history[i], thread) && ordered(history[i].written, history[i].writer & kThread, thread))
      not_fenced(history[i], real_address(address, true), reader, site);
  }
}

void Tracer::reading_begins(std::deque<Reading>& all, const Target& target, std::size_t bytes, const char* reader,
                            SiteId site) {
  const unsigned thread = block_->self().linear;
  flush(thread);
  Issued issued = {thread, block_->switches(), logs_[thread].size(), clocks_.now()};
  if (issued != issued_) {
    clocks_.begin_anew(thread / kWarp);
    issued.now = clocks_.now();
    issued_ = issued;
  }
  // Adjacent words mostly have the same history, and then get the same new one.
  AccessHistory before, after;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    AccessHistory& history = target.history[i];
    if (i > 0 && target.written[i] == 0xf && target.written[i - 1] == 0xf && history == before) {
      history = after;
      continue;
    }
    before = history;
    check_proxy({&history, &target.written[i]}, target.address + 4 * i, reader, site);
    after = history;
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
  AccessHistory before, after;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    AccessHistory& history = target.history[i];
    if (i > 0 && target.written[i] == 0xf && target.written[i - 1] == 0xf && history == before) {
      history = after;
      continue;
    }
    before = history;
    if (block_of(history.written) == id_ && time_of(history.written) > since) {
      add_finding(
          {Fault::race, site, history.write_site,
           std::string(reader) + " reads " + memory_at(real_address(target.address + 4 * i, true)) + " at ",
           ", and " + writer_name(history) + ((history.writer & kCopy) != 0 ? " copies to" : " writes") + " it at ",
           " before it is done: its wait must come first"});
    } else {
      check_access({&history, &target.written[i]}, thread, target.address + 4 * i, 4, kShared, site);
    }
    after = history;
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
