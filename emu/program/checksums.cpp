#include "emu/program/checksums.hpp"

#include <algorithm>
#include <cstring>

#include "emu/machine/kernel_facts.hpp"

namespace cairn::emu::program {

std::uint64_t checksum(const std::vector<unsigned char>& bytes) {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325u, kPrime = 0x100000001b3u;
  std::uint64_t sum = kStart;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], std::min<std::size_t>(8, bytes.size() - at));
    sum = (sum ^ word) * kPrime;
    sum ^= sum >> 32;  // the product alone carries nothing from high bits to low ones
  }
  return sum;
}

std::vector<Change> changes_since(const Snapshot& before) {
  std::vector<Change> changes;
  const Snapshot after = Snapshot::now();
  for (const Contents& now : after.all()) {
    const Contents* was = before.find(now.of.number);
    if (was == nullptr || was->bytes == now.bytes) continue;
    Change change{{now.of.number, now.of.bytes}, 0, checksum(now.bytes)};
    for (std::size_t at = 0; at < now.bytes.size(); ++at) change.changed += was->bytes[at] != now.bytes[at] ? 1 : 0;
    changes.push_back(change);
  }
  return changes;
}

Launched launched(const Launch& launch, const Snapshot& before) {
  return {kernel_facts(launch.kernel).name,
          {launch.grid.x, launch.grid.y, launch.grid.z},
          {launch.block.x, launch.block.y, launch.block.z},
          changes_since(before)};
}

}  // namespace cairn::emu::program
