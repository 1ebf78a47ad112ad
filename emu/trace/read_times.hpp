// When each warp last read a word, where they did so at times that differ. Lists are kept apart from the words and
// never altered: the words of a tile are read by the same warps in the same order, and share one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/trace/vector_clocks.hpp"

namespace cairn::emu {

class ReadDates {
 public:
  using Dates = std::array<std::uint32_t, Clocks::kWarps>;  // 0: it has not

  bool full() const { return lists_.size() >= kMost; }
  // A block on another OS thread may alter the same word of global memory at this moment, so that the number is of
  // one of its own lists. Then nobody is known to have read it.
  const Dates& operator[](std::uint32_t number) const {
    static constexpr Dates kNobody{};
    return number < lists_.size() ? lists_[number] : kNobody;
  }
  void clear() {
    lists_.clear();
    known_.fill({});
  }

  // The list of those who have read, and `warp` at `time`: the others are in list `number`; or, if there is none yet,
  // are the warps that have a bit, which all have read at `then`.
  std::uint32_t with(std::uint32_t number, unsigned warp, std::uint32_t time) {
    return find({number, 0, warp, time});
  }
  std::uint32_t with(std::uint32_t warps, std::uint32_t then, unsigned warp, std::uint32_t time) {
    return find({warps, then, warp, time});
  }

 private:
  struct Step {
    std::uint32_t others = 0, then = 0, warp = 0, time = 0;  // then 0: `others` is a list
    bool operator==(const Step&) const = default;
  };
  struct Known {
    Step step;
    std::uint32_t gives = 0;
  };
  std::uint32_t find(const Step& step) {
    Known& known = known_[(step.others * 0x9e3779b1u + step.time * 0x85ebca6bu + step.warp) >> 26];
    if (known.step == step) return known.gives;
    Dates dates{};
    for (unsigned w = 0; w < Clocks::kWarps; ++w) dates[w] = (step.others >> w & 1) != 0 ? step.then : 0;
    if (step.then == 0) dates = (*this)[step.others];
    dates[step.warp] = step.time;
    lists_.push_back(dates);
    known = {step, static_cast<std::uint32_t>(lists_.size() - 1)};
    return known.gives;
  }

  static constexpr std::size_t kMost = 1u << 18;
  std::vector<Dates> lists_;
  std::array<Known, 64> known_{};  // steps made lately; time 0: none
};

}  // namespace cairn::emu
