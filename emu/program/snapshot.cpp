#include "emu/program/snapshot.hpp"

#include <algorithm>
#include <cstring>

namespace cairn::emu::program {

Snapshot Snapshot::now() {
  Snapshot snapshot;
  for (const Allocation& one : allocations()) {
    const auto* start = static_cast<const unsigned char*>(one.start);
    snapshot.all_.push_back({one, {start, start + one.bytes}});
  }
  return snapshot;
}

const Contents* Snapshot::find(std::uint64_t number) const {
  const auto found = std::ranges::find(all_, number, [](const Contents& one) { return one.of.number; });
  return found == all_.end() ? nullptr : &*found;
}

void Snapshot::put(const Contents& contents) {
  for (Contents& one : all_)
    if (one.of.number == contents.of.number) one.bytes = contents.bytes;
}

void Snapshot::restore() const {
  for (const Contents& one : all_) std::memcpy(const_cast<void*>(one.of.start), one.bytes.data(), one.bytes.size());
}

}  // namespace cairn::emu::program
