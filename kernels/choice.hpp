// How dispatch asks a card what its rung would run for a problem (Query), and the answer (Choice).
//
// Each rung has its own cost model next to its kernel. Forecasts are times, so that dispatch can compare those of
// different rungs without knowing anything else about them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cairn/types.hpp"

namespace cairn {

// The properties of a GPU that cost models use.
struct Device {
  int arch = 0;  // 90 for sm_90
  int sms = 1;
  double mhz = 1000;  // the highest SM clock
};

inline constexpr int kAnyTile = -1;

struct Query {
  const Problem& problem;  // row-major, checked, and supported by the card
  Device device;
  int tile = kAnyTile;  // or the only one to consider
  bool aligned = true;  // A and B begin at multiples of the card's pointer_alignment
};

// The expected time of a GEMM, as a sum of named terms.
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
  // For `times` launches, one after the other.
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
  std::size_t scratch_bytes = 0;  // of device memory that a launch needs; not kept between launches
  Forecast forecast;
  const char* preference = "";  // the reason for this tile, if another has a shorter forecast

  // Results of choose() that the rung's launch needs; opaque to everything else.
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

// Host-side results of a launch, such as tensor maps, that later launches with the same tile and pointers reuse. The
// caller has one for each problem, or none.
struct LaunchCache {
  int tile = 0;
  std::array<const void*, 3> pointers{};
  bool filled = false;
  alignas(64) std::array<std::byte, 384> bytes{};

  // Whether `bytes` were made for this tile and these pointers. If not, they are recorded, and the caller fills
  // `bytes`.
  bool made_for(int now_tile, const void* A, const void* B, const void* C) {
    const std::array<const void*, 3> now = {A, B, C};
    const bool same = filled && tile == now_tile && pointers == now;
    tile = now_tile, pointers = now, filled = true;
    return same;
  }
};

}  // namespace cairn
