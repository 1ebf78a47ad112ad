// Who is ordered before whom within one block. Time is a count of the block's events: barriers, collectives and
// fences. The time of an access is that of the last event that its warp took part in; it is ordered before one of
// another warp if that one has met the first at a later event.
//
// The copy engine takes part too: what it has written for a barrier in shared memory has the time at which it landed,
// and is ordered before what comes after a wait on that barrier. What came from another block of the cluster is known
// by a number, which counts what that block has sent.
//
// Warps meet at barriers, so what is kept is when each pair of warps last met, directly or through others. Lanes of a
// warp meet in collectives; one of some lanes counts as one of all, so that a race between the others may be missed.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::emu {

class Clocks {
 public:
  static constexpr unsigned kWarps = 32, kBarriers = 16, kEngines = 32, kPeers = 8;
  static constexpr unsigned kEngine = kWarps, kPeer = kEngine + kEngines;
  using Times = std::array<std::uint32_t, kPeer + kPeers>;  // of warps; of barriers in shared memory; of other blocks

  void reset(unsigned warps) {
    warps_ = warps;
    now_ = all_ = 1;
    since_.fill(1);
    for (Times& row : met_) row.fill(0);
    for (Times& row : arrived_) row.fill(0);
  }

  // The time of what threads of this warp do now.
  std::uint32_t since(unsigned warp) const { return since_[warp]; }
  // When all warps last met; what the block did before is past for every one of them.
  std::uint32_t all() const { return all_; }
  // Whether that was the last event: then what was done since is ordered with nothing another thread does.
  bool level() const { return now_ == all_; }

  // These warps meet.
  void warps_meet(std::uint32_t waiting) { meet(waiting, Times{}); }
  // The threads of these warps leave a barrier together, and those that only arrived are behind them.
  void warps_meet(unsigned barrier, std::uint32_t waiting) {
    meet(waiting, arrived_[barrier]);
    arrived_[barrier].fill(0);
  }
  void arrives(unsigned barrier, unsigned warp) { join(arrived_[barrier], leave(warp)); }
  void lanes_meet(unsigned warp) { met_[warp][warp] = since_[warp] = ++now_; }

  // What a thread of this warp hands on: all that is its past now. What it does from here on is not part of it.
  Times leave(unsigned warp) {
    Times left = met_[warp];
    left[warp] = since_[warp] = ++now_;
    return left;
  }
  // Whether this would be new to the warp; and it is its past from here on.
  bool is_news(unsigned warp, const Times& from) const {
    bool news = false;
    for (unsigned q = 0; q < from.size(); ++q) news |= from[q] > met_[warp][q];
    return news;
  }
  void learn(unsigned warp, const Times& from) {
    join(met_[warp], from);
    since_[warp] = ++now_;
  }
  const Times& past_of(unsigned warp) const { return met_[warp]; }
  std::uint32_t now() const { return now_; }
  std::uint32_t tick() { return ++now_; }
  void begin_anew(unsigned warp) { since_[warp] = ++now_; }  // what it does next has a date of its own

  // A fence of a thread that has seen by an atomic what others left there before fences of theirs. Gives what it
  // leaves itself with its next atomics: all that is its past now.
  Times fence(unsigned warp, const Times& seen) {
    join(met_[warp], seen);
    since_[warp] = ++now_;
    Times left = met_[warp];
    left[warp] = now_;
    return left;
  }
  static void join(Times& into, const Times& from) {
    for (unsigned q = 0; q < into.size(); ++q) into[q] = into[q] > from[q] ? into[q] : from[q];
  }

  // Whether all that threads of warp `other` did before or at `time` is ordered before what `warp` does now.
  bool ordered(std::uint32_t time, unsigned other, unsigned warp) const {
    return time < all_ || time < met_[warp][other];
  }

 private:
  void meet(std::uint32_t waiting, const Times& arrived) {
    ++now_;
    if (waiting == (warps_ == 32 ? ~0u : (1u << warps_) - 1)) all_ = now_;
    Times joined = arrived;
    for (unsigned p = 0; p < warps_; ++p) {
      if ((waiting >> p & 1) != 0) join(joined, met_[p]);
    }
    for (unsigned q = 0; q < warps_; ++q) {
      if ((waiting >> q & 1) != 0) joined[q] = now_;
    }
    for (unsigned p = 0; p < warps_; ++p) {
      if ((waiting >> p & 1) != 0) met_[p] = joined, since_[p] = now_;
    }
  }

  unsigned warps_ = 0;
  std::uint32_t now_ = 1, all_ = 1;
  std::array<std::uint32_t, kWarps> since_{};
  std::array<Times, kWarps> met_{};  // met_[p][q]: what q did before this time is p's past
  std::array<Times, kBarriers> arrived_{};
};

}  // namespace cairn::emu
