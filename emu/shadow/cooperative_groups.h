// Stands in for CUDA's header of this name. Groups within a warp synchronize their lanes by the warp's collectives,
// a block by its barrier 0, and a grid by the barrier of a cooperative launch (emu/machine/grid_barrier.hpp).
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/shadow/emu_group.h"
#include "emu/shadow/emu_tile.h"
#include "emu/sm90/sm90_builtins.hpp"

namespace cooperative_groups {

class grid_group : public thread_group {
 public:
  // Only a cooperative launch has the barrier.
  static void sync(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::grid_sync(site); }
  static bool is_valid() { return cairn::emu::is_cooperative(); }
  static dim3 dim_blocks() { return cairn::emu::grid_extent(); }
  static dim3 group_dim() { return cairn::emu::grid_extent(); }
  static dim3 block_index() { return dim3(cairn::emu::block_index()); }
  static unsigned long long num_blocks() {
    const dim3 grid = dim_blocks();
    return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
  }
  static unsigned long long block_rank() {
    const dim3 grid = dim_blocks(), at = block_index();
    return at.x + static_cast<unsigned long long>(grid.x) * (at.y + static_cast<unsigned long long>(grid.y) * at.z);
  }

 private:
  friend grid_group this_grid();
  grid_group() : thread_group(Kind::grid) {}
};

inline grid_group this_grid() { return grid_group(); }

// The blocks of a cluster. It does not convert to thread_group.
class cluster_group {
 public:
  static void sync(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::cluster_sync(site); }
  static void barrier_arrive(cairn::emu::Site site = cairn::emu::Site::current()) {
    cairn::emu::cluster_arrive(site);
  }
  static void barrier_wait(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::cluster_wait(site); }
  static dim3 dim_blocks() { return cairn::emu::cluster_extent(); }
  static unsigned num_blocks() { return dim_blocks().x * dim_blocks().y * dim_blocks().z; }
  static unsigned block_rank() { return cairn::emu::cluster_rank(); }
  static dim3 block_index() {
    const dim3 size = dim_blocks();
    const uint3 at = cairn::emu::block_index();
    return {at.x % size.x, at.y % size.y, at.z % size.z};
  }
  static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }

  template <class T> static T* map_shared_rank(T*, int) {
    static_assert(sizeof(T) == 0,
                  "cairn: map_shared_rank, loads and stores of another block's shared memory, is not "
                  "emulated; hand values over in global memory");
    return nullptr;
  }

 private:
  friend cluster_group this_cluster();
  cluster_group() = default;
};

inline cluster_group this_cluster() { return {}; }

template <class Group> void sync(const Group& group, cairn::emu::Site site = cairn::emu::Site::current()) {
  group.sync(site);
}
template <class Group> auto thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> auto group_size(const Group& group) { return group.size(); }

}  // namespace cooperative_groups
