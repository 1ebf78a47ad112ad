// Bounds and alignment of an access; and the text of findings.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "emu/machine/kernel_facts.hpp"
#include "emu/report/report.hpp"
#include "emu/trace/tracer.hpp"
#include "emu/trace/variables.hpp"

namespace cairn::emu {
namespace {

std::string size_text(unsigned bytes, bool store) {
  return std::string(store ? "a store" : "a load") + " of " + std::to_string(bytes) + " bytes";
}

}  // namespace

std::string Tracer::who() { return "thread " + std::to_string(me()) + " of block " + describe(block_->index()); }

std::uintptr_t Tracer::real_address(std::uint64_t logged, bool shared) const {
  if (!shared) return logged;
  for (const Array& array : arrays_) {
    if (logged - array.offset < array.bytes) return array.start + (logged - array.offset);
  }
  return 0;
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

// Ends the launch, as a GPU would: executing the access might crash this process.
void Tracer::stop(RawFinding caught) {
  std::string message = "caught: " + caught.before;
  constexpr std::string_view kPlace = ", at ";  // which is looked up when the trace is taken
  if (message.ends_with(kPlace)) message.resize(message.size() - kPlace.size());
  add_finding(std::move(caught));
  block_->fail(std::move(message));  // does not return, so no object here may need its destructor
}

// An array that several kernels share belongs to the block's from its first access: it was never written before.
bool Tracer::take_in(std::uintptr_t address) {
  const SharedArray* array = shared_by_kernels(address - locals_low_);
  const auto is_it = [&](const Array& known) {
    return array != nullptr && known.start == locals_low_ + array->offset;
  };
  if (array == nullptr || std::ranges::any_of(arrays_, is_it)) return false;
  std::memset(reinterpret_cast<void*>(locals_low_ + array->offset), 0xff, array->bytes);
  add_array(locals_low_ + array->offset, array->bytes, array->name.c_str());
  return true;
}

// The full search, for memory that was not accessed recently, and for accesses that are not allowed.
Tracer::Place Tracer::find(std::uintptr_t address, unsigned bytes, bool store, SiteId site) {
  if (detect_ && (address & (bytes - 1)) != 0) {
    stop({Fault::misaligned, site, 0,
          who() + ": " + size_text(bytes, store) + " from an address that is no multiple of that, " +
              memory_at(address) + ", at ",
          "", ""});
  }
  for (const Array& array : arrays_) {
    const std::uintptr_t in = address - array.start;
    if (in + bytes <= array.bytes && in < array.bytes) return {array.offset + in, true, true};
  }
  for (const Recent& recent : recent_) {
    const std::uintptr_t in = address - recent.start;
    if (in + bytes <= recent.bytes && in < recent.bytes) return {address, false, true};
  }
  if (Region* region = region_of(address); region != nullptr && address - region->start + bytes <= region->bytes) {
    recent_[next_recent_++ % recent_.size()] = {region->start, region->bytes, region};
    return {address, false, true};
  }
  const Launch& launch = block_->launch();
  if (address - reinterpret_cast<std::uintptr_t>(launch.arguments) < launch.argument_bytes) return {};
  const bool local = address - locals_low_ < locals_bytes_ && locals_low_ != 0;
  if (local && take_in(address)) return find(address, bytes, store, site);
  if (local && is_guard(address - locals_low_)) return {};
  if (!local && address - image_low_ < image_bytes_) {  // a constant, or a __device__ variable
    if (store) variable_changes(address, bytes);
    return {};
  }
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

void Tracer::access_rarely(std::uintptr_t address, unsigned bytes, bool store, SiteId site) {
  if (is_local(address)) return;
  const Place at = find(address, bytes, store, site);
  if (at.known) log(at.address, Entry::pack(site, bytes, (store ? kStore : 0u) | (at.shared ? kShared : 0u)));
}

void Tracer::race(const AccessHistory& history, bool with_reader, unsigned thread, unsigned kind, SiteId site,
                  std::uint64_t address) {
  const Mark by = with_reader ? history.read : history.written;
  if (block_of(by) != id_ && catch_up() && predecessors_.contains(block_of(by))) return;
  const std::uint16_t whose = with_reader ? history.reader : history.writer;
  std::string other = "another block";
  if (block_of(by) == id_) {
    other = (whose & kSeveral) != 0 ? "another thread of the block" : "thread " + std::to_string(whose & kThread);
  }
  const bool copy = !with_reader && (history.writer & kCopy) != 0;
  const bool arrived = copy && (history.writer & kArrived) != 0;
  const bool tma_thread = copy && (history.writer & kThread) >= kTmaThread;
  if (tma_thread) other = writer_name(history);
  const char* does = with_reader ? " reads" : " writes";
  if (copy) does = " copies to";
  checked_thread_ = thread;
  add_finding({Fault::race, site, with_reader ? history.read_site : history.write_site,
               who() + ((kind & kStore) != 0 ? " writes " : " reads ") +
                   memory_at(real_address(address, (kind & kShared) != 0)) + " at ",
               ", and " + other + does + " it at ",
               tma_thread && arrived ? ", with no wait on its barrier before"
               : arrived ? " and has waited for that, with nothing between the wait and this that orders the two"
                         : ", with nothing between them that orders the two"});
  checked_thread_ = kNobody;
}

// `array` is its type, in quotes.
void Tracer::register_index(const char* file, unsigned line, std::uint64_t index, const char* array) {
  const std::string type(array + 1, std::strlen(array) - 2);
  stop({Fault::register_array, emu::site_of(file, line), 0,
        who() + ": index " + std::to_string(static_cast<std::int64_t>(index)) + " is outside of " + type + ", at ",
        "", ""});
}

}  // namespace cairn::emu
