// What a rung would run for a problem: the one question that dispatch asks a card, and the answer.
//
// The cost model behind the answer lives beside its kernel. Dispatch compares the forecasts of different rungs, which
// is why they are times, and knows nothing else of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cairn/types.hpp"

namespace cairn {

// A GPU, as far as cost models ask.
struct Device {
  int arch = 0;  // 90 for sm_90
  int sms = 1;
  double mhz = 1000;  // of an SM, the highest
};

inline constexpr int kAnyTile = -1;

struct Query {
  const Problem& problem;  // row-major, checked, and one that the card takes
  Device device;
  int tile = kAnyTile;  // or the only one to consider
  bool aligned = true;  // A and B begin at multiples of the card's pointer_alignment
};

// What a product will take, as a sum of named parts.
class Forecast {
 public:
  struct Term {
    const char* name = nullptr;
    double us = 0;
  };
  // The name is a literal: "main loop, bound by L2".
  void add(const char* name, double us) {
    if (us <= 0) return;
    terms_[static_cast<std::size_t>(count_++)] = {name, us};
    us_ += us;
  }
  // So many launches, one after the other.
  void repeat(double times) {
    for (Term& term : terms_) term.us *= times;
    us_ *= times;
  }
  double us() const { return us_; }
  const Term* begin() const { return terms_.data(); }
  const Term* end() const { return terms_.data() + count_; }

 private:
  std::array<Term, 7> terms_{};
  int count_ = 0;
  double us_ = 0;
};

struct Choice {
  int tile = 0;
  std::size_t scratch_bytes = 0;  // of device memory that a launch wants beside its matrices; nothing of it is kept
  Forecast forecast;
  const char* preference = "";  // why this tile, where another has a shorter forecast

  // What the rung worked out and its launch will need: bytes that only the rung understands.
  template <class T> void keep(const T& details) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof details_);
    std::memcpy(details_.data(), &details, sizeof details);
  }
  template <class T> T kept() const {
    T details;
    std::memcpy(&details, details_.data(), sizeof details);
    return details;
  }

 private:
  std::array<std::byte, 64> details_{};
};

// What a launch made on the host and the next one can use again if it has the same tile and pointers, such as tensor
// maps. The caller has one for each problem, or none.
struct LaunchCache {
  int tile = 0;
  std::array<const void*, 3> pointers{};
  bool filled = false;
  alignas(64) std::array<std::byte, 384> bytes{};

  // Whether `bytes` were made for these. If not, they are from now on, and the caller fills them.
  bool made_for(int now_tile, const void* A, const void* B, const void* C) {
    const std::array<const void*, 3> now = {A, B, C};
    const bool same = filled && tile == now_tile && pointers == now;
    tile = now_tile, pointers = now, filled = true;
    return same;
  }
};

}  // namespace cairn
