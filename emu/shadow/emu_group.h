// Cooperative groups: the erased group, the block, and what all groups of lanes of a warp are made of.
#pragma once

#include <bit>
#include <type_traits>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/emu_warp.h"

namespace cairn::emu {

// Lanes of the calling thread's warp. In a group they are ranked in ascending order.
struct Lanes {
  unsigned mask = 0;

  unsigned size() const { return static_cast<unsigned>(std::popcount(mask)); }
  unsigned rank() const { return static_cast<unsigned>(std::popcount(mask & ((1u << lane_index()) - 1))); }
  unsigned lane_of(unsigned rank) const {
    unsigned left = mask;
    for (; rank > 0; --rank) left &= left - 1;
    return static_cast<unsigned>(std::countr_zero(left));
  }
  // Of these lanes those in `some`, as bits by rank.
  unsigned by_rank(unsigned some) const {
    unsigned ranks = 0, bit = 1;
    for (unsigned left = mask; left != 0; left &= left - 1, bit <<= 1)
      if ((some & left & -left) != 0) ranks |= bit;
    return ranks;
  }
  // Of these lanes those whose rank divided by `size` equals that of the caller.
  Lanes part(unsigned size) const {
    const unsigned number = rank() / size;
    unsigned kept = 0, at = 0;
    for (unsigned left = mask; left != 0; left &= left - 1, ++at)
      if (at / size == number) kept |= left & -left;
    return {kept};
  }
};

// The aligned `size` lanes of the warp that contain the caller.
inline Lanes aligned_lanes(unsigned size) {
  return {(size == 32 ? ~0u : (1u << size) - 1) << (lane_index() & ~(size - 1))};
}

inline unsigned linear_thread() {
  const uint3 at = thread_index();
  const dim3 block = block_extent();
  return at.x + block.x * (at.y + block.y * at.z);
}

// The value of the lane with this rank; all ones, as of a lane that takes no part, if there is none.
template <class T> T take(const char* call, const Lanes& lanes, const T& value, unsigned rank, Site site) {
  // (The vector types copy themselves, as a whole.)
  static_assert((std::is_trivially_copyable_v<T> || alignof(T) == sizeof(T)) && sizeof(T) <= 32,
                "cairn: lanes exchange trivially copyable values of up to 32 bytes");
  const bool there = rank < lanes.size();
  const unsigned lane = there ? lanes.lane_of(rank) : lane_index();
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &value, sizeof value);
  for (std::uint64_t& word : words) {
    word = warp_exchange(WarpOp::shuffle, call, lanes.mask, word, lane, site);
    if (!there) word = ~std::uint64_t{0};
  }
  T taken = value;
  __builtin_memcpy(static_cast<void*>(&taken), words, sizeof taken);
  return taken;
}

}  // namespace cairn::emu

namespace cooperative_groups {

class thread_group;
namespace details {
inline void bad_tile_size(cairn::emu::Site site) {
  cairn::emu::assertion_failed("a tile has 1, 2, 4, 8, 16 or 32 threads, and no more than what it is part of", site);
}
cairn::emu::Lanes lanes_of(const thread_group& group);
}  // namespace details

// Any group: the others convert to it.
class thread_group {
 public:
  void sync(cairn::emu::Site site = cairn::emu::Site::current()) const {
    switch (kind_) {
      case Kind::block: cairn::emu::block_sync(false, "block.sync", site); break;
      case Kind::grid: cairn::emu::grid_sync(site); break;
      case Kind::tile:
        cairn::emu::warp_exchange(cairn::emu::WarpOp::sync, "tile.sync", lanes_.mask, 0, 0, site);
        break;
      case Kind::coalesced:
        cairn::emu::warp_exchange(cairn::emu::WarpOp::sync, "coalesced.sync", lanes_.mask, 0, 0, site);
        break;
    }
  }
  unsigned long long size() const {
    const dim3 block = cairn::emu::block_extent(), grid = cairn::emu::grid_extent();
    const unsigned long long threads = block.x * block.y * block.z;
    if (kind_ == Kind::block) return threads;
    return kind_ == Kind::grid ? threads * grid.x * grid.y * grid.z : lanes_.size();
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    const uint3 at = cairn::emu::block_index();
    const dim3 block = cairn::emu::block_extent(), grid = cairn::emu::grid_extent();
    const unsigned long long in_block = cairn::emu::linear_thread();
    if (kind_ == Kind::block) return in_block;
    if (kind_ != Kind::grid) return lanes_.rank();
    const unsigned long long row = at.y + static_cast<unsigned long long>(grid.y) * at.z;
    const unsigned long long before = at.x + grid.x * row;
    return before * (block.x * block.y * block.z) + in_block;
  }

 protected:
  enum class Kind : unsigned char { block, grid, tile, coalesced };
  explicit thread_group(Kind kind, cairn::emu::Lanes lanes = {}) : kind_(kind), lanes_(lanes) {}
  Kind kind() const { return kind_; }
  const cairn::emu::Lanes& lanes() const { return lanes_; }

 private:
  friend thread_group tiled_partition(const thread_group& parent, unsigned size, cairn::emu::Site site);
  friend cairn::emu::Lanes details::lanes_of(const thread_group& group);

  Kind kind_;
  cairn::emu::Lanes lanes_;  // of the groups within a warp
};

inline cairn::emu::Lanes details::lanes_of(const thread_group& group) { return group.lanes_; }

class thread_block : public thread_group {
 public:
  static void sync(cairn::emu::Site site = cairn::emu::Site::current()) {
    cairn::emu::block_sync(false, "block.sync", site);
  }
  static unsigned thread_rank() { return cairn::emu::linear_thread(); }
  static unsigned size() { return dim_threads().x * dim_threads().y * dim_threads().z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(cairn::emu::block_index()); }
  static dim3 thread_index() { return dim3(cairn::emu::thread_index()); }
  static dim3 group_dim() { return cairn::emu::block_extent(); }
  static dim3 dim_threads() { return cairn::emu::block_extent(); }

 private:
  friend thread_block this_thread_block();
  thread_block() : thread_group(Kind::block) {}
};

inline thread_block this_thread_block() { return thread_block(); }

// Groups of `size` adjacent threads: of a block, of a tile, or by rank of a coalesced group.
inline thread_group tiled_partition(const thread_group& parent, unsigned size,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  using Kind = thread_group::Kind;
  if (parent.kind() == Kind::coalesced) {
    if (size == 0) details::bad_tile_size(site);
    return thread_group(Kind::coalesced, parent.lanes().part(size));
  }
  const bool inside = parent.kind() != Kind::tile || size <= parent.lanes().size();
  if (!std::has_single_bit(size) || size > 32 || parent.kind() == Kind::grid || !inside) details::bad_tile_size(site);
  return thread_group(Kind::tile, cairn::emu::aligned_lanes(size));
}

}  // namespace cooperative_groups
