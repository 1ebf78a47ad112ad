// Is an access allowed, and is it ordered.
#include <algorithm>

#include "emu/report.hpp"
#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

std::string size_text(unsigned bytes, bool store) {
  return std::string(store ? "a store" : "a load") + " of " + std::to_string(bytes) + " bytes";
}

}  // namespace

std::string Tracer::who() const {
  return "thread " + std::to_string(block_->self().linear) + " of block " + describe(block_->index());
}

std::string Tracer::memory_at(std::uintptr_t address) const {
  for (const Array& array : arrays_) {
    if (address - array.start < array.bytes)
      return "byte " + std::to_string(address - array.start) + " of " + array.name;
  }
  if (const Region* region = region_of(address)) {
    return "byte " + std::to_string(address - region->start) + " of a device allocation of " +
           std::to_string(region->bytes);
  }
  return "an address in no device allocation";
}

// The launch cannot go on: on a GPU it would be killed here, and on this machine the access itself might be fatal.
void Tracer::stop(Caught caught) {
  std::string message = "caught: " + caught.before;
  add_caught(std::move(caught));
  block_->fail(std::move(message));  // never comes back, so nothing may be left here to destroy
}

// What find() did not know: memory that was not touched lately, and what must not be touched.
bool Tracer::find_rarely(std::uintptr_t address, unsigned bytes, bool store, SiteId site, Target& out) {
  if (detect_ && (address & (bytes - 1)) != 0) {
    stop({Fault::misaligned, site, 0,
          who() + ": " + size_text(bytes, store) + " from an address that is no multiple of that, " +
              memory_at(address) + ", at ",
          "", ""});
  }
  if (Region* region = region_of(address); region != nullptr && address - region->start + bytes <= region->bytes) {
    recent_[next_recent_++ % recent_.size()] = region;
    const std::size_t word = (address - region->start) / 4;
    out = {region->past + word, region->written + word, address, false};
    return true;
  }
  const Launch& launch = block_->launch();
  if (address - reinterpret_cast<std::uintptr_t>(launch.arguments) < launch.argument_bytes) return false;
  const bool local = address - locals_low_ < locals_bytes_ && locals_low_ != 0;
  if (!local && address - image_low_ < image_bytes_) return false;  // a constant, or a __device__ variable
  std::string where = "which is in no allocation";
  if (const Region* near = nearest_region(address); local) {
    where = "past the end of its shared arrays";
    for (const Array& array : arrays_) {
      if (address >= array.start + array.bytes - bytes && address - array.start < array.bytes + 4096) {
        where = std::to_string(address - array.start - array.bytes + bytes) + " bytes past the end of " + array.name +
                ", which has " + std::to_string(array.bytes);
      }
    }
  } else if (near != nullptr) {
    const bool before = address < near->start;
    const std::uintptr_t distance = before ? near->start - address : address + bytes - (near->start + near->bytes);
    where = std::to_string(distance) + " bytes " + (before ? "before the start" : "past the end") +
            " of a device allocation of " + std::to_string(near->bytes);
  }
  stop({Fault::out_of_bounds, site, 0, who() + ": " + size_text(bytes, store) + " " + where + ", at ", "", ""});
}

bool Tracer::reads_ordered(const Past& past) const {
  if (past.read_block < launch_) return true;
  if (past.read_block != id_) return behind_.contains(past.read_block);
  if ((past.reader & kSeveral) == 0) return ordered(past.read_block, past.read_at, past.reader & kThread);
  const unsigned me = block_->self().linear / kWarp;
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if ((past.read_warps >> warp & 1) != 0 && !clocks_.ordered(past.read_at, warp, me)) return false;
  }
  return true;
}

void Tracer::race(const Past& past, bool with_reader, bool store, SiteId site, std::uintptr_t address) {
  const BlockId block = with_reader ? past.read_block : past.write_block;
  const std::uint16_t thread = with_reader ? past.reader : past.writer;
  std::string other = "another block";
  if (block == id_) {
    other = (thread & kSeveral) != 0 ? "other threads of the block" : "thread " + std::to_string(thread & kThread);
  }
  add_caught({Fault::race, site, with_reader ? past.read_site : past.write_site,
              who() + (store ? " writes " : " reads ") + memory_at(address) + " at ",
              ", and " + other + (with_reader ? " reads" : " writes") + " it at ",
              ", with nothing between them that orders the two"});
}

inline void Tracer::check_word(Past& past, bool shared, bool store, bool step, SiteId site, std::uintptr_t address) {
  const Thread& me = block_->self();
  const std::uint32_t now = clocks_.now();
  if (shared) {  // what other blocks did was in other memory
    if (past.write_block != id_) past.write_block = 0;
    if (past.read_block != id_) past.read_block = 0;
  }
  const bool both_steps = step && (past.writer & kAtomic) != 0;
  if (!both_steps && !ordered(past.write_block, past.written_at, past.writer & kThread)) [[unlikely]]
    race(past, false, store, site, address);
  if (!store) {
    if (past.read_block >= launch_ && past.read_block != id_) {
      past.read_block = launch_;  // stands for several blocks of this launch
    } else if (past.read_block == id_ && past.reader == me.linear) {
      past.read_at = now;
    } else if (past.read_block != id_ || clocks_.all_met_since(past.read_at) ||
               ((past.reader & kSeveral) == 0 && ordered(id_, past.read_at, past.reader & kThread))) {
      past.read_block = id_, past.reader = static_cast<std::uint16_t>(me.linear), past.read_at = now;
      past.read_warps = 1u << me.linear / kWarp, past.read_site = site;
    } else {
      past.reader |= kSeveral;
      past.read_warps |= 1u << me.linear / kWarp, past.read_at = now;
    }
    return;
  }
  if (!reads_ordered(past)) [[unlikely]]
    race(past, true, true, site, address);
  past.write_block = id_, past.written_at = now, past.write_site = site;
  past.writer = static_cast<std::uint16_t>(me.linear | (step ? kAtomic : 0));
  past.read_block = 0;  // reads from before are ordered before this write, or have been told
}

// Bytes of a word that must have been written, or are now.
inline void Tracer::check_written(std::uint8_t& written, unsigned mask, bool sets, SiteId site,
                                  std::uintptr_t address) {
  if (sets) {
    written |= static_cast<std::uint8_t>(mask);
  } else if ((written & mask) != mask) [[unlikely]] {
    add_caught({Fault::uninitialized, site, 0,
                who() + " reads " + memory_at(address) + ", which nobody has written, at ", "", ""});
    written |= static_cast<std::uint8_t>(mask);  // told once
  }
}

void Tracer::check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step,
                         SiteId site) {
  const bool sets = store && !step;
  if (bytes < 4) {  // aligned, so within a word
    check_word(target.past[0], target.shared, store, step, site, address);
    check_written(target.written[0], ((1u << bytes) - 1) << address % 4, sets, site, address);
    return;
  }
  for (unsigned i = 0; i < bytes / 4; ++i) {
    check_word(target.past[i], target.shared, store, step, site, address + 4 * i);
    check_written(target.written[i], 0xf, sets, site, address + 4 * i);
  }
}

void Tracer::register_index(const char* file, unsigned line, std::uint64_t index) {
  stop({Fault::register_array, emu::site_of(file, line), 0,
        who() + ": index " + std::to_string(static_cast<std::int64_t>(index)) + " is outside of the array, at ", "",
        ""});
}

}  // namespace cairn::emu
