// Random numbers that are the same on every machine: the standard library's engines are, its distributions are not.
#pragma once

#include <cstdint>

namespace cairn::lab {

// splitmix64 (Steele, Lea and Flood, 2014): every seed, 0 included, gives a good stream.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // This stream from its count-th number on, so that threads can share out one stream.
  Random after(std::int64_t count) const { return Random(state_ + static_cast<std::uint64_t>(count) * kStep); }

  std::uint64_t bits() {
    state_ += kStep;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [low, high]. The bias of the remainder is below 2^-40 for the ranges used here.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const auto count = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(bits() % count);
  }
  // Uniform in [-1, 1), 53 bits.
  double real() { return static_cast<double>(static_cast<std::int64_t>(bits()) >> 10) * 0x1p-53; }
  bool chance(int percent) { return integer(0, 99) < percent; }

  template <class T, std::size_t N> T pick(const T (&from)[N]) {
    return from[integer(0, static_cast<std::int64_t>(N) - 1)];
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

}  // namespace cairn::lab
