// The happens-before order within one block, by vector clocks. Time counts the block's synchronization events:
// barriers, warp collectives and fences. The time of an access is that of the last event of its warp. It
// happens before an access of another warp if that warp has synchronized with the first one, directly or
// through others, at a later event.
//
// TMA has entries of its own, one for each mbarrier: what it writes has the time at which the copy completed, and
// happens before what follows a wait on that mbarrier. The other blocks of the cluster have entries, too, which
// count the messages they have sent.
//
// A clock is kept for each warp and not for each thread: a collective of some lanes counts as one of all lanes, so
// that a race between the others may be missed.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::emu {

class VectorClocks {
 public:
  static constexpr unsigned kWarps = 32, kBarriers = 16, kMbarriers = 32, kPeers = 8;
  static constexpr unsigned kMbarrier = kWarps, kPeer = kMbarrier + kMbarriers;
  using VectorClock = std::array<std::uint32_t, kPeer + kPeers>;  // warps; mbarriers; other blocks

  void reset(unsigned warps) {
    warps_ = warps;
    now_ = all_ = 1;
    since_.fill(1);
    for (VectorClock& row : met_) row.fill(0);
    for (VectorClock& row : arrived_) row.fill(0);
  }

  // The time of accesses that threads of this warp make now.
  std::uint32_t since(unsigned warp) const { return since_[warp]; }
  // When all warps last synchronized: what the block did before happens before whatever any of them does now.
  std::uint32_t all() const { return all_; }
  // Whether that was the last event: then no two accesses since are ordered, unless by one thread.
  bool level() const { return now_ == all_; }

  // These warps synchronize.
  void warps_synchronize(std::uint32_t waiting) { synchronize(waiting, VectorClock{}); }
  // The same at a barrier. What precedes an arrival without a wait happens before what follows the barrier.
  void warps_synchronize(unsigned barrier, std::uint32_t waiting) {
    synchronize(waiting, arrived_[barrier]);
    arrived_[barrier].fill(0);
  }
  void arrives(unsigned barrier, unsigned warp) { join(arrived_[barrier], release(warp)); }
  void lanes_synchronize(unsigned warp) { met_[warp][warp] = since_[warp] = ++now_; }

  // A release: returns the warp's vector clock. What the warp does from here on is not covered by it.
  VectorClock release(unsigned warp) {
    VectorClock left = met_[warp];
    left[warp] = since_[warp] = ++now_;
    return left;
  }
  // An acquire: what `from` covers happens before what the warp does from here on.
  // is_new: whether that adds anything.
  bool is_new(unsigned warp, const VectorClock& from) const {
    bool news = false;
    for (unsigned q = 0; q < from.size(); ++q) news |= from[q] > met_[warp][q];
    return news;
  }
  void acquire(unsigned warp, const VectorClock& from) {
    join(met_[warp], from);
    since_[warp] = ++now_;
  }
  const VectorClock& clock_of(unsigned warp) const { return met_[warp]; }
  std::uint32_t now() const { return now_; }
  std::uint32_t tick() { return ++now_; }
  void begin_anew(unsigned warp) { since_[warp] = ++now_; }  // its next access gets a time of its own

  // A memory fence of a thread whose atomics have acquired `seen`. Returns what its next atomics release.
  VectorClock fence(unsigned warp, const VectorClock& seen) {
    join(met_[warp], seen);
    since_[warp] = ++now_;
    VectorClock left = met_[warp];
    left[warp] = now_;
    return left;
  }
  static void join(VectorClock& into, const VectorClock& from) {
    for (unsigned q = 0; q < into.size(); ++q) into[q] = into[q] > from[q] ? into[q] : from[q];
  }

  // Whether all that threads of warp `other` did before or at `time` is ordered before what `warp` does now.
  bool ordered(std::uint32_t time, unsigned other, unsigned warp) const {
    return time < all_ || time < met_[warp][other];
  }

 private:
  void synchronize(std::uint32_t waiting, const VectorClock& arrived) {
    ++now_;
    if (waiting == (warps_ == 32 ? ~0u : (1u << warps_) - 1)) all_ = now_;
    VectorClock joined = arrived;
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
  std::array<VectorClock, kWarps> met_{};  // met_[p][q]: what q did before this time happens before what p does now
  std::array<VectorClock, kBarriers> arrived_{};
};

}  // namespace cairn::emu
