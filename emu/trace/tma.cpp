// The copy engine. A load is a read of global memory by the thread that asks for it, and a write of shared memory
// that begins there and ends when it lands; then it is a write by the engine, ordered before what comes after a wait
// on the same barrier. A store is a write of global memory when it is issued; how it reads is in proxy.cpp.
#include <algorithm>

#include "emu/report/report.hpp"
#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

constexpr unsigned kSector = 32;

// The barriers of a block share the engine's times when there are more than these. The last is for copies on their
// way from another block.
std::uint16_t engine_of(const Mbarrier& barrier) {
  return static_cast<std::uint16_t>(kEngineThread + kWarp * (barrier.number % (Clocks::kEngines - 1)));
}

}  // namespace

Bulk& Tracer::bulk_at(SiteId site) {
  auto at = std::ranges::find_if(bulk_, [&](const Bulk& bulk) { return bulk.site == site; });
  if (at == bulk_.end()) at = bulk_.insert(at, {site, {}});
  return *at;
}

// The rows of a box, as far as they are in the matrix: whether the engine may read or write them, and how much that
// is.
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
    unsigned piece = bytes & ~3u;
    if (address % 4 != 0 || bytes < 4) piece = address % 2 == 0 && bytes >= 2 ? 2 : 1;
    const std::size_t word = (address - region.start) / 4;
    check_access({region.past + word, region.written + word}, thread, address, piece, kind, site);
    address += piece, bytes -= piece;
  }
}

void Tracer::load_asked(const BulkLoad& load) {
  const SiteId site = site_of_call(load.site);
  const Moved moved = move_rows(load.map, load.at, false, site);
  Counters& counters = bulk_at(site).counters;
  ++counters.tma_load_requests, ++counters.global_load_requests;
  counters.tma_load_bytes += load.map.bytes();
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
  return {&shared_past_[word], &shared_written_[word], array->offset + (at - array->start), true};
}

// A write that another block asked for, behind what is in `seen` of this block's past. That all warps of this block
// have met says nothing to the other.
void Tracer::check_visit(const Past& past, const Clocks::Times& seen, SiteId site, std::uintptr_t address) {
  const auto tell = [&](SiteId other, const char* does) {
    add_caught({Fault::race, site, other,
                "another block of the cluster copies to " + memory_at(address) + " of block " +
                    describe(block_->index()) + " at ",
                std::string(", and ") + does + " it at ", ", with nothing between them that orders the two"});
  };
  if (block_of(past.written) == id_ && time_of(past.written) >= seen[(past.writer & kThread) / kWarp])
    tell(past.write_site, "a thread of that block writes");
  if (block_of(past.read) != id_) return;
  bool unread = true;
  if ((past.reader & kSeveral) == 0) {
    unread = time_of(past.read) < seen[(past.reader & kThread) / kWarp];
  } else {
    for (unsigned warp = 0; warp < warps_; ++warp) {
      std::uint32_t time = (past.reader & kDated) != 0 ? dates_[past.read_warps][warp] : time_of(past.read);
      if ((past.reader & kDated) == 0 && (past.read_warps >> warp & 1) == 0) time = 0;
      unread = unread && (time == 0 || time < seen[warp]);
    }
  }
  if (!unread) tell(past.read_site, "threads of that block read");
}

void Tracer::load_issued(const BulkLoad& load, const Sender* from) {
  if (!detect_) return;
  const SiteId site = site_of_call(load.site);
  const unsigned bytes = load.map.bytes();
  const auto to = reinterpret_cast<std::uintptr_t>(load.to);
  const Target target = box_target(load.to, bytes, true, site);
  for (unsigned i = 0; i < bytes / 4; ++i) {
    if ((target.written[i] & kInFlight) == 0) continue;
    add_caught({Fault::race, site, target.past[i].write_site,
                (from == nullptr ? who() : std::string("another block of the cluster")) + " copies to " +
                    memory_at(to + 4 * i) + " at ",
                ", and an earlier copy to it, issued at ", ", has not been waited for"});
  }
  if (from == nullptr) {
    check_words(target, to, bytes, true, false, site);
  } else {
    for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
    Clocks::Times seen{};
    receive(seen, from->clock.get());
    for (unsigned i = 0; i < bytes / 4; ++i) check_visit(target.past[i], seen, site, to + 4 * i);
  }
  for (unsigned i = 0; i < bytes / 4; ++i) {
    Past& past = target.past[i];
    if (from != nullptr) {
      past.written = mine_ | clocks_.now(), past.write_site = site;
      past.writer = kPeerThread;
      past.read = 0;
    }
    past.writer |= kCopy;
    target.written[i] = kInFlight;
  }
}

void Tracer::load_landed(const BulkLoad& load, const Mbarrier& barrier) {
  if (!detect_) return;
  const SiteId site = site_of_call(load.site);
  const unsigned bytes = load.map.bytes();
  const auto to = reinterpret_cast<std::uintptr_t>(load.to);
  const Target target = box_target(load.to, bytes, true, site);
  const std::uint16_t engine = engine_of(barrier);
  const Mark now = mine_ | clocks_.tick();
  for (unsigned i = 0; i < bytes / 4; ++i) {
    Past& past = target.past[i];
    if ((target.written[i] & 0xf) != 0) {
      add_caught({Fault::race, site, past.write_site,
                  "a copy to " + memory_at(to + 4 * i) + " of block " + describe(block_->index()) + ", issued at ",
                  ", and " + writer_name(past) + " writes it at ", " while the copy is under way"});
    }
    past.written = now, past.write_site = site;
    past.writer = static_cast<std::uint16_t>(engine | kCopy | kArrived);
    past.read = 0;  // who has read it since the copy was issued has been told
    target.written[i] = 0xf;
  }
  gates_[barrier.number].coming[engine / kWarp] = clocks_.tick();
}

void Tracer::store_issued(const BulkStore& store) {
  const SiteId site = site_of_call(store.site);
  const Moved moved = move_rows(store.map, store.at, true, site);
  const unsigned bytes = store.map.bytes();
  Counters& counters = bulk_at(site).counters;
  ++counters.tma_store_requests, ++counters.global_store_requests;
  counters.tma_store_bytes += bytes;
  counters.global_store_bytes += moved.bytes, counters.global_store_sectors += moved.sectors;
  if (!detect_) return;
  reading_begins(stores_, box_target(store.from, bytes, false, site), bytes, "a store of the copy engine", site);
}

void Tracer::store_read(const BulkStore& store) {
  if (!detect_) return;
  const SiteId site = site_of_call(store.site);
  const unsigned bytes = store.map.bytes();
  reading_ends(stores_, box_target(store.from, bytes, false, site), bytes, "a store of the copy engine", site);
}

}  // namespace cairn::emu
