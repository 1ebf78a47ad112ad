// Random numbers for the order in which threads and blocks run: speed and repeatability matter more than quality.
#pragma once

#include <cstdint>

namespace cairn::emu {

constexpr std::uint64_t mix(std::uint64_t x) {  // splitmix64: neighbouring seeds give unrelated sequences
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed) | 1) {}

  // Below `bound`, which is at most 2^32.
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(((state_ & 0xffffffffu) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace cairn::emu
