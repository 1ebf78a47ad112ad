// Who is ordered before whom within one block. Time is a count of the block's meetings: barriers and collectives. An
// access happens at the present count; one of another thread is ordered before it if the two have met since.
//
// Warps meet at barriers, so what is kept is when each pair of warps last met, directly or through others. Lanes of a
// warp meet in collectives; one of some lanes counts as one of all, so that a race between the others may be missed.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::emu {

class Clocks {
 public:
  static constexpr unsigned kWarps = 32, kBarriers = 16;

  void reset(unsigned warps) {
    warps_ = warps;
    now_ = 1;
    all_ = 0;
    for (auto& row : met_) row.fill(0);
    for (auto& row : arrived_) row.fill(0);
  }

  std::uint32_t now() const { return now_; }

  // The threads of these warps leave a barrier together, and those that only arrived are behind them.
  void warps_meet(unsigned barrier, std::uint32_t waiting) {
    ++now_;
    if (waiting == (warps_ == 32 ? ~0u : (1u << warps_) - 1)) all_ = now_;
    std::array<std::uint32_t, kWarps> joined{};
    for (unsigned p = 0; p < warps_; ++p) {
      const bool here = (waiting >> p & 1) != 0;
      for (unsigned q = 0; here && q < warps_; ++q) joined[q] = joined[q] > met_[p][q] ? joined[q] : met_[p][q];
    }
    for (unsigned q = 0; q < warps_; ++q) {
      if ((waiting >> q & 1) != 0) joined[q] = now_;
      if (joined[q] < arrived_[barrier][q]) joined[q] = arrived_[barrier][q];
      arrived_[barrier][q] = 0;
    }
    for (unsigned p = 0; p < warps_; ++p) {
      if ((waiting >> p & 1) != 0) met_[p] = joined;
    }
  }
  void arrives(unsigned barrier, unsigned warp) { arrived_[barrier][warp] = ++now_; }
  void lanes_meet(unsigned warp) { met_[warp][warp] = ++now_; }

  // Whether all warps of the block have met after `time`.
  bool all_met_since(std::uint32_t time) const { return time < all_; }

  // Whether all that threads of warp `other` did before or at `time` is ordered before what `warp` does now.
  bool ordered(std::uint32_t time, unsigned other, unsigned warp) const {
    return time < all_ || time < met_[warp][other];
  }

 private:
  unsigned warps_ = 0;
  std::uint32_t now_ = 1, all_ = 0;
  std::array<std::array<std::uint32_t, kWarps>, kWarps> met_{};  // met_[p][q]: q's past before this is p's past
  std::array<std::array<std::uint32_t, kWarps>, kBarriers> arrived_{};
};

}  // namespace cairn::emu
