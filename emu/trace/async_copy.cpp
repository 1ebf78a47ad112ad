// cp.async. A copy is two accesses of the thread that issues it: a read of global memory, and a write of shared
// memory that begins when it is issued and ends when the thread has waited for it. A word is first "in flight", when
// no thread may access it, and then "written" by that thread, at the time of its wait.
#include "emu/machine/async_copy.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

const Tracer::Array* Tracer::shared_array(std::uintptr_t address, unsigned bytes) const {
  for (const Array& array : arrays_) {
    const std::uintptr_t in = address - array.start;
    if (in < array.bytes && in + bytes <= array.bytes) return &array;
  }
  return nullptr;
}

Tracer::Target Tracer::copy_target(const AsyncCopy& copy, SiteId site) {
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
  const Array* array = shared_array(to, copy.bytes);
  if (array == nullptr) {
    (void)find(to, copy.bytes, true, site);  // past the end of an array this does not return
    stop({Fault::out_of_bounds, site, 0,
          who() + ": an asynchronous copy to " + memory_at(to) + ", which is not shared memory, at ", "", ""});
  }
  const std::size_t word = (array->offset + (to - array->start)) / 4;
  return {&shared_history_[word], &shared_written_[word], array->offset + (to - array->start), true};
}

// A target without a history if the source is a constant or a variable of the program, which are not traced.
Tracer::Target Tracer::copy_source(const AsyncCopy& copy, SiteId site) {
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  if (shared_array(from, 1) != nullptr) {
    stop({Fault::out_of_bounds, site, 0,
          who() + ": an asynchronous copy from " + memory_at(from) + ", which is not global memory, at ", "", ""});
  }
  Target source;
  if (find(from, copy.valid, false, site).known) {
    const Extent in = extent_at(from, false);
    const std::size_t word = (from - in.start) / 4;
    source = {in.first.history + word, in.first.written + word, from, false};
  }
  return source;
}

std::string Tracer::writer_name(const AccessHistory& history) {
  const unsigned thread = history.writer & kThread;
  if (thread == kPeerThread) return "another block of the cluster";
  if (thread >= kTmaThread) {
    const unsigned number = (thread - kTmaThread) / kWarp;
    return number < mbarrier_clocks_.size() && mbarrier_clocks_[number].copied ? "memcpy_async" : "TMA";
  }
  return thread == me() ? "the same thread" : "thread " + std::to_string(thread);
}

void Tracer::copy_issued(const AsyncCopy& copy) {
  const SiteId site = site_of_call(copy.site);
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to), from = reinterpret_cast<std::uintptr_t>(copy.from);
  const Target target = copy_target(copy, site);
  const Target source = copy.valid > 0 ? copy_source(copy, site) : Target{};
  if (logs_of_copies_.size() < logs_.size()) logs_of_copies_.resize(logs_.size());
  logs_of_copies_[block_->self().linear].push_back(
      {target.address, from, site, copy.bytes, source.history != nullptr});
  if (!detect_) return;
  flush(block_->self().linear);

  if (source.history != nullptr) {
    const unsigned words = copy.valid / 4, rest = copy.valid % 4;
    if (words > 0) check_words(source, from, 4 * words, false, false, site);
    const Target last = {source.history + words, source.written + words, 0, false};
    if (rest > 0) check_words(last, from + 4 * words, rest, false, false, site);
  }
  for (unsigned i = 0; i < copy.bytes / 4u; ++i) {
    if ((target.written[i] & kInFlight) == 0) continue;
    add_finding({Fault::race, site, target.history[i].write_site,
                 who() + " copies to " + memory_at(to + 4 * i) + " at ", ", and an earlier copy to it, issued at ",
                 ", has not been waited for"});
  }
  check_words(target, to, copy.bytes, true, false, site);
  for (unsigned i = 0; i < copy.bytes / 4u; ++i) {
    target.history[i].writer |= kCopy;
    target.written[i] = kInFlight;
  }
}

// A copy that is tied to a barrier is from now on a write by the barrier, as one by TMA is: only a wait on it orders it.
void Tracer::copy_landed(const AsyncCopy& copy, const Mbarrier* barrier) {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  flush(thread);
  const SiteId site = site_of_call(copy.site);
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
  const Target target = copy_target(copy, site);
  if (barrier == nullptr) {
    const Mark now = mine_ | clocks_.since(thread / kWarp);
    return complete(target, to, copy.bytes, site, now, thread, who() + " copies to ");
  }
  const unsigned writer = tma_thread_of(*barrier);
  complete(target, to, copy.bytes, site, mine_ | clocks_.tick(), writer, "an asynchronous copy to ");
  MbarrierClock& clock = mbarrier_clocks_[barrier->number];
  clock.arriving[writer / kWarp] = clocks_.tick();
  clock.copied = true;
}

// The words of a copy are written. Nothing may have written them since it was issued.
void Tracer::complete(const Target& target, std::uintptr_t to, unsigned bytes, SiteId site, Mark when,
                      unsigned writer, const std::string& what) {
  for (unsigned i = 0; i < bytes / 4; ++i) {
    AccessHistory& history = target.history[i];
    if ((target.written[i] & 0xf) != 0) {
      add_finding({Fault::race, site, history.write_site, what + memory_at(to + 4 * i) + " at ",
                   ", and " + writer_name(history) + " writes it at ", " while the copy is in flight"});
    }
    history.written = when, history.write_site = site;
    history.writer = static_cast<std::uint16_t>(writer | kCopy | kArrived);
    history.read = 0;  // reads since the copy was issued have been reported
    target.written[i] = 0xf;
  }
}

// A read of bytes that were never written, or that a copy in flight will write.
void Tracer::not_written(const AccessHistory& history, std::uint8_t& written, unsigned mask, SiteId site,
                         std::uintptr_t address) {
  if ((written & kInFlight) != 0) {
    add_finding({Fault::race, site, history.write_site, who() + " reads " + memory_at(address) + " at ",
                 " before the copy that " + writer_name(history) + " issued at ",
                 " has arrived: its wait and then a barrier must come first"});
    return;
  }
  add_finding({Fault::uninitialized, site, 0,
               who() + " reads " + memory_at(address) + ", which no thread has written, at ", "", ""});
  written |= static_cast<std::uint8_t>(mask);  // reported once
}

// Copies of a warp's lanes by the same instruction in the same iteration are one request to global memory and one to
// shared memory. A lane that copies only zeros is not part of the first.
void Tracer::count_copies(unsigned warp) {
  struct Both {
    Request global, shared;
  };
  std::map<std::tuple<SiteId, unsigned, unsigned>, Both> requests;  // by site, iteration and size
  const std::size_t first = std::size_t{warp} * kWarp;
  const std::size_t end = std::min({first + kWarp, block_->threads().size(), logs_of_copies_.size()});
  for (std::size_t thread = first; thread < end; ++thread) {
    const auto lane = static_cast<unsigned>(thread - first);
    std::map<SiteId, unsigned> rounds;
    for (const CopyEntry& copy : logs_of_copies_[thread]) {
      Both& both = requests[{copy.site, rounds[copy.site]++, copy.bytes}];
      both.shared.bytes = both.global.bytes = copy.bytes;
      both.shared.lanes |= 1u << lane, both.shared.address[lane] = copy.to;
      if (copy.reads) both.global.lanes |= 1u << lane, both.global.address[lane] = copy.from;
    }
    logs_of_copies_[thread].clear();
  }
  for (const auto& [key, both] : requests) {
    const SiteId site = std::get<0>(key);
    if (both.global.lanes != 0) count(both.global, Shape::any, kCopied, site, warp);
    count(both.shared, Shape::any, kCopied | kShared | kStore, target_of_copy(site), warp);
  }
}

}  // namespace cairn::emu
