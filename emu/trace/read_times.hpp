// When each warp last read a word, for words that warps have read at different times. Lists are immutable and stored
// apart from the words: the words of a tile are read by the same warps in the same order and share one list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/trace/vector_clocks.hpp"

namespace cairn::emu {

class ReadTimes {
 public:
  using List = std::array<std::uint32_t, VectorClocks::kWarps>;  // by warp; 0: it has not read

  bool full() const { return lists_.size() >= kMost; }
  // The number may be one of another block, which is writing the same word's history on another OS
  // thread. Then no reader is known.
  const List& operator[](std::uint32_t number) const {
    static constexpr List kNobody{};
    return number < lists_.size() ? lists_[number] : kNobody;
  }
  void clear() {
    lists_.clear();
    known_.fill({});
  }

  // The number of the list that has `warp` at `time`, and otherwise equals list `number`; or, if there is none yet,
  // has the warps with a bit in `warps` at `then`.
  std::uint32_t with(std::uint32_t number, unsigned warp, std::uint32_t time) {
    return find({number, 0, warp, time});
  }
  std::uint32_t with(std::uint32_t warps, std::uint32_t then, unsigned warp, std::uint32_t time) {
    return find({warps, then, warp, time});
  }

 private:
  struct Step {
    std::uint32_t others = 0, then = 0, warp = 0, time = 0;  // then 0: `others` is a list's number
    bool operator==(const Step&) const = default;
  };
  struct Known {
    Step step;
    std::uint32_t gives = 0;
  };
  std::uint32_t find(const Step& step) {
    Known& known = known_[(step.others * 0x9e3779b1u + step.time * 0x85ebca6bu + step.warp) >> 26];
    if (known.step == step) return known.gives;
    List times{};
    for (unsigned w = 0; w < VectorClocks::kWarps; ++w) times[w] = (step.others >> w & 1) != 0 ? step.then : 0;
    if (step.then == 0) times = (*this)[step.others];
    times[step.warp] = step.time;
    lists_.push_back(times);
    known = {step, static_cast<std::uint32_t>(lists_.size() - 1)};
    return known.gives;
  }

  static constexpr std::size_t kMost = 1u << 18;
  std::vector<List> lists_;
  std::array<Known, 64> known_{};  // a cache of recent steps; time 0: empty
};

}  // namespace cairn::emu
