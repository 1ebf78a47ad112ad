// Copies of the copy engine. A load lands when a wait on its barrier needs it (emu/sm90/mbarrier.hpp). A store, of a group
// of the thread that issued it, reads its shared memory when that thread waits for this, and writes when it waits for
// that: both as late as the program permits. What is read and not waited for is written when the block ends, as on a
// GPU; what has not been read then has lost its source.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/builtins.hpp"
#include "emu/sm90/tensor_map.hpp"

namespace cairn::emu {

struct BulkLoad {
  TensorMap map;
  Corner at;
  void* to;
  Site site;
};

struct BulkStore {
  TensorMap map;
  Corner at;
  const void* from;
  Site site;
  std::uint32_t group;             // of its thread, counted from 0
  std::vector<std::byte> content;  // once it has been read
};

class BulkStores {
 public:
  void reset();  // a new block begins

  void issue(unsigned thread, const TensorMap& map, const Corner& at, const void* from, const Site& site);
  void commit(unsigned thread);
  // Of the thread's groups all but the newest `left` are read; are read and written.
  void wait_read(unsigned thread, unsigned left);
  void wait(unsigned thread, unsigned left);
  // The block ends: what has been read is written. Gives a store that has not been, or null.
  const BulkStore* finish();

 private:
  struct Queue {
    std::vector<BulkStore> stores;  // under way, oldest first
    std::uint32_t group = 0;        // that the next store belongs to
  };
  Queue& of(unsigned thread);
  static void read(BulkStore& store);

  std::vector<Queue> queues_;  // by thread; empty as long as no kernel stores like this
  bool used_ = false;          // since the last reset
};

}  // namespace cairn::emu
