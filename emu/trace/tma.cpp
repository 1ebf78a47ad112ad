// TMA. A load is a read of global memory by the thread that issues it, and a write of shared memory that begins when
// it is issued and ends when it completes. From then on it is a write by TMA, which happens before what follows a
// wait on the same mbarrier. A store is a write of global memory when it is issued; proxy.cpp checks what it reads.
#include <algorithm>

#include "emu/report/report.hpp"
#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

constexpr unsigned kSector = 32;
}  // namespace

// Mbarriers share clock entries if a block has more than there are. The last entry is for
// loads in flight from another block.
std::uint16_t Tracer::tma_thread_of(const Mbarrier& barrier) {
  return static_cast<std::uint16_t>(kTmaThread + kWarp * (barrier.number % (VectorClocks::kMbarriers - 1)));
}

TmaCounters& Tracer::tma_counters_at(SiteId site) {
  auto at = std::ranges::find_if(tma_counters_, [&](const TmaCounters& tma) { return tma.site == site; });
  if (at == tma_counters_.end()) at = tma_counters_.insert(at, {site, {}});
  return *at;
}

// Checks the rows of a box, as far as they are in the matrix, and counts their sectors and bytes.
Tracer::Moved Tracer::move_rows(const TensorMap& map, const Corner& at, bool store, SiteId site) {
  if (detect_) flush(block_->self().linear);
  Moved moved;
  std::uint64_t last = 0;  // the end of the row before, in sectors
  const Region* region = nullptr;
  for (unsigned r = 0, rows = map.rows(); r < rows; ++r) {
    const BoxRow row = row_of(map, at, r, store ? Way::store : Way::load);
    if (row.bytes == 0) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(row.global);
    if (region == nullptr || address - region->start >= region->bytes) region = region_of(address);
    if (region == nullptr || address - region->start + row.bytes > region->bytes) {
      stop({Fault::out_of_bounds, site, 0,
            who() + ": a row of " + std::to_string(row.bytes) + " bytes of a box " + (store ? "to " : "from ") +
                memory_at(address) + ", which is not all in one allocation, at ",
            "", ""});
    }
    if (detect_) check_row(*region, address, row.bytes, store, site);
    const std::uint64_t first = address / kSector, end = (address + row.bytes - 1) / kSector + 1;
    moved.sectors += end - first - (first + 1 == last ? 1 : 0);
    moved.bytes += row.bytes;
    last = end;
  }
  return moved;
}

void Tracer::check_row(const Region& region, std::uintptr_t address, unsigned bytes, bool store, SiteId site) {
  const unsigned thread = block_->self().linear, kind = store ? kStore : 0;
  while (bytes > 0) {
    unsigned part = bytes & ~3u;
    if (address % 4 != 0 || bytes < 4) part = address % 2 == 0 && bytes >= 2 ? 2 : 1;
    const std::size_t word = (address - region.start) / 4;
    check_access({region.history + word, region.written + word}, thread, address, part, kind, site);
    address += part, bytes -= part;
  }
}

void Tracer::tma_load_issued(const TmaLoad& load) {
  const SiteId site = site_of_call(load.site);
  const Moved moved = move_rows(load.map, load.at, false, site);
  Counters& counters = tma_counters_at(site).counters;
  ++counters.tma_load_requests, ++counters.global_load_requests;
  counters.tma_load_bytes += load.map.bytes(), counters.tma_load_sectors += moved.sectors;
  counters.global_load_bytes += moved.bytes, counters.global_load_sectors += moved.sectors;
}

Tracer::Target Tracer::box_target(const void* shared, std::size_t bytes, bool store, SiteId site) {
  const auto at = reinterpret_cast<std::uintptr_t>(shared);
  const Array* array = shared_array(at, static_cast<unsigned>(bytes));
  if (array == nullptr) {
    stop({Fault::out_of_bounds, site, 0,
          who() + ": " + std::to_string(bytes) + " bytes " + (store ? "to " : "from ") + memory_at(at) +
              ", which are not all in one shared array, at ",
          "", ""});
  }
  const std::size_t word = (array->offset + (at - array->start)) / 4;
  return {&shared_history_[word], &shared_written_[word], array->offset + (at - array->start), true};
}

// A write by a multicast of another block, which has acquired `seen` of this block's clock. That all warps of this
// block have synchronized does not order the other block.
void Tracer::check_remote_write(const AccessHistory& history, const VectorClocks::VectorClock& seen, SiteId site,
                                std::uintptr_t address) {
  const auto tell = [&](SiteId other, const char* does) {
    add_finding({Fault::race, site, other,
                 "another block of the cluster copies to " + memory_at(address) + " of block " +
                     describe(block_->index()) + " at ",
                 std::string(", and ") + does + " it at ", ", with nothing between them that orders the two"});
  };
  if (block_of(history.written) == id_ && time_of(history.written) >= seen[(history.writer & kThread) / kWarp])
    tell(history.write_site, "a thread of that block writes");
  if (block_of(history.read) != id_) return;
  bool unread = true;
  if ((history.reader & kSeveral) == 0) {
    unread = time_of(history.read) < seen[(history.reader & kThread) / kWarp];
  } else {
    for (unsigned warp = 0; warp < warps_; ++warp) {
      std::uint32_t time =
          (history.reader & kTimesDiffer) != 0 ? read_times_[history.read_warps][warp] : time_of(history.read);
      if ((history.reader & kTimesDiffer) == 0 && (history.read_warps >> warp & 1) == 0) time = 0;
      unread = unread && (time == 0 || time < seen[warp]);
    }
  }
  if (!unread) tell(history.read_site, "threads of that block read");
}

void Tracer::tma_write_begins(const TmaLoad& load, const Sender* from) {
  if (!detect_) return;
  const SiteId site = site_of_call(load.site);
  const unsigned bytes = load.map.bytes();
  const auto to = reinterpret_cast<std::uintptr_t>(load.to);
  const Target target = box_target(load.to, bytes, true, site);
  for (unsigned i = 0; i < bytes / 4; ++i) {
    if ((target.written[i] & kInFlight) == 0) continue;
    add_finding({Fault::race, site, target.history[i].write_site,
                 (from == nullptr ? who() : std::string("another block of the cluster")) + " copies to " +
                     memory_at(to + 4 * i) + " at ",
                 ", and an earlier copy to it, issued at ", ", has not been waited for"});
  }
  if (from == nullptr) {
    check_words(target, to, bytes, true, false, site);
  } else {
    for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
    VectorClocks::VectorClock seen{};
    receive(seen, from->clock.get());
    for (unsigned i = 0; i < bytes / 4; ++i) check_remote_write(target.history[i], seen, site, to + 4 * i);
  }
  for (unsigned i = 0; i < bytes / 4; ++i) {
    AccessHistory& history = target.history[i];
    if (from != nullptr) {
      history.written = mine_ | clocks_.now(), history.write_site = site;
      history.writer = kPeerThread;
      history.read = 0;
    }
    history.writer |= kCopy;
    target.written[i] = kInFlight;
  }
}

void Tracer::tma_write_ends(const TmaLoad& load, const Mbarrier& barrier) {
  if (!detect_) return;
  const SiteId site = site_of_call(load.site);
  const unsigned bytes = load.map.bytes();
  const auto to = reinterpret_cast<std::uintptr_t>(load.to);
  const Target target = box_target(load.to, bytes, true, site);
  const std::uint16_t tma_thread = tma_thread_of(barrier);
  complete(target, to, bytes, site, mine_ | clocks_.tick(), tma_thread,
           "in block " + describe(block_->index()) + " a copy to ");
  mbarrier_clocks_[barrier.number].arriving[tma_thread / kWarp] = clocks_.tick();
}

void Tracer::tma_store_issued(const TmaStore& store) {
  const SiteId site = site_of_call(store.site);
  const Moved moved = move_rows(store.map, store.at, true, site);
  const unsigned bytes = store.map.bytes();
  Counters& counters = tma_counters_at(site).counters;
  ++counters.tma_store_requests, ++counters.global_store_requests;
  counters.tma_store_bytes += bytes, counters.tma_store_sectors += moved.sectors;
  counters.global_store_bytes += moved.bytes, counters.global_store_sectors += moved.sectors;
  if (!detect_) return;
  reading_begins(stores_, box_target(store.from, bytes, false, site), bytes, "a TMA store", site);
}

void Tracer::tma_store_read(const TmaStore& store) {
  if (!detect_) return;
  const SiteId site = site_of_call(store.site);
  const unsigned bytes = store.map.bytes();
  reading_ends(stores_, box_target(store.from, bytes, false, site), bytes, "a TMA store", site);
}

}  // namespace cairn::emu
