// Cooperative groups of lanes of a warp: tiles, coalesced groups and their partitions. Whatever they do synchronizes
// the lanes of the group and no others.
#pragma once

#include "emu/shadow/emu_group.h"

namespace cooperative_groups {

namespace details {

// What tiles and coalesced groups have in common: collectives by rank.
class lane_group : public thread_group {
 public:
  unsigned thread_rank() const { return lanes().rank(); }
  unsigned size() const { return lanes().size(); }
  unsigned num_threads() const { return lanes().size(); }

  template <class T> T shfl_up(T value, unsigned by, cairn::emu::Site site = cairn::emu::Site::current()) const {
    const unsigned rank = thread_rank();
    return cairn::emu::take("group.shfl_up", lanes(), value, by > rank ? rank : rank - by, site);
  }
  template <class T> T shfl_down(T value, unsigned by, cairn::emu::Site site = cairn::emu::Site::current()) const {
    const unsigned rank = thread_rank();
    return cairn::emu::take("group.shfl_down", lanes(), value, by < size() - rank ? rank + by : rank, site);
  }

  int any(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return cairn::emu::ballot("group.any", lanes().mask, predicate, site) != 0 ? 1 : 0;
  }
  int all(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return cairn::emu::ballot("group.all", lanes().mask, predicate == 0 ? 1 : 0, site) == 0 ? 1 : 0;
  }
  unsigned ballot(int predicate, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return lanes().by_rank(cairn::emu::ballot("group.ballot", lanes().mask, predicate, site));
  }
  template <class T> unsigned match_any(T value, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return lanes().by_rank(static_cast<unsigned>(cairn::emu::warp_exchange(
        cairn::emu::WarpOp::match_any, "group.match_any", lanes().mask, cairn::emu::to_word(value), 0, site)));
  }
  template <class T>
  unsigned match_all(T value, int& predicate, cairn::emu::Site site = cairn::emu::Site::current()) const {
    const auto equal = static_cast<unsigned>(cairn::emu::warp_exchange(
        cairn::emu::WarpOp::match_all, "group.match_all", lanes().mask, cairn::emu::to_word(value), 0, site));
    predicate = equal != 0 ? 1 : 0;
    return lanes().by_rank(equal);
  }

 protected:
  using thread_group::thread_group;
};

}  // namespace details

template <unsigned Size, class Parent = void> class thread_block_tile;

// `void`: whatever the parent is. A tile converts to this.
template <unsigned Size> class thread_block_tile<Size, void> : public details::lane_group {
  static_assert(Size <= 32, "cairn: a tile of more than one warp is not emulated; use tiles of up to 32 threads");
  static_assert(std::has_single_bit(Size), "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

  template <class T> T shfl(T value, int rank, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return cairn::emu::take("group.shfl", lanes(), value, static_cast<unsigned>(rank) % Size, site);
  }
  template <class T> T shfl_xor(T value, unsigned by, cairn::emu::Site site = cairn::emu::Site::current()) const {
    const unsigned rank = thread_rank(), other = rank ^ by;
    return cairn::emu::take("group.shfl_xor", lanes(), value, other < Size ? other : rank, site);
  }

 protected:
  thread_block_tile(unsigned rank_in_parent, unsigned parent_size)
      : lane_group(Kind::tile, cairn::emu::aligned_lanes(Size)),
        meta_rank_(rank_in_parent / Size),
        meta_size_((parent_size + Size - 1) / Size) {}

 private:
  unsigned meta_rank_, meta_size_;  // among the tiles of the parent
};

template <unsigned Size, class Parent> class thread_block_tile : public thread_block_tile<Size> {
 public:
  // What tiled_partition<Size>(parent) returns.
  explicit thread_block_tile(const Parent& parent) : thread_block_tile<Size>(parent.thread_rank(), parent.size()) {}
};

template <unsigned Size> thread_block_tile<Size, thread_block> tiled_partition(const thread_block& parent) {
  return thread_block_tile<Size, thread_block>(parent);
}
template <unsigned Size, unsigned Outer, class Parent>
thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>& parent) {
  static_assert(Size <= Outer, "a tile of a tile has no more threads than that");
  return thread_block_tile<Size, thread_block_tile<Outer, Parent>>(parent);
}

inline thread_block_tile<1> this_thread() { return tiled_partition<1>(this_thread_block()); }

class coalesced_group;
namespace details {
coalesced_group coalesced(cairn::emu::Lanes lanes);
}

// Some lanes of a warp, ranked by their lane.
class coalesced_group : public details::lane_group {
 public:
  template <class T> T shfl(T value, int rank, cairn::emu::Site site = cairn::emu::Site::current()) const {
    return cairn::emu::take("group.shfl", lanes(), value, static_cast<unsigned>(rank), site);
  }

 private:
  friend coalesced_group details::coalesced(cairn::emu::Lanes lanes);
  explicit coalesced_group(cairn::emu::Lanes lanes) : lane_group(Kind::coalesced, lanes) {}
};

inline coalesced_group details::coalesced(cairn::emu::Lanes lanes) { return coalesced_group(lanes); }

// The caller alone, as __activemask() says: here a lane always runs alone.
inline coalesced_group coalesced_threads() { return details::coalesced({__activemask()}); }

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size,
                                       cairn::emu::Site site = cairn::emu::Site::current()) {
  if (size == 0) details::bad_tile_size(site);
  return details::coalesced(details::lanes_of(parent).part(size));
}

// The threads of a tile or a coalesced group with the same answer; with the same label.
inline coalesced_group binary_partition(const details::lane_group& parent, bool side,
                                        cairn::emu::Site site = cairn::emu::Site::current()) {
  const unsigned all = details::lanes_of(parent).mask;
  const unsigned yes = cairn::emu::ballot("binary_partition", all, side ? 1 : 0, site);
  return details::coalesced({side ? yes : all & ~yes});
}
template <class Label>
coalesced_group labeled_partition(const details::lane_group& parent, Label label,
                                  cairn::emu::Site site = cairn::emu::Site::current()) {
  static_assert(std::is_integral_v<Label>, "a label is an integer");
  return details::coalesced({static_cast<unsigned>(
      cairn::emu::warp_exchange(cairn::emu::WarpOp::match_any, "labeled_partition", details::lanes_of(parent).mask,
                                cairn::emu::to_word(label), 0, site))});
}

}  // namespace cooperative_groups
