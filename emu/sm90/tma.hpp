// TMA copies (cp.async.bulk.tensor), done as late as the program permits. A load is done when a thread waits on its
// mbarrier (emu/sm90/mbarrier.hpp). A store belongs to a bulk group of the thread that issued it: it reads shared
// memory when that thread calls tma_wait_read, and writes global memory when it calls tma_wait. A store that was
// read and not waited for is written when the block ends, as on a GPU; one that has not been read by then is an
// error, since its source is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emu/machine/builtins.hpp"
#include "emu/sm90/tensor_map.hpp"

namespace cairn::emu {

struct TmaLoad {
  TensorMap map;
  Corner at;
  void* to;
  Site site;
};

struct TmaStore {
  TensorMap map;
  Corner at;
  const void* from;
  Site site;
  std::uint32_t group;             // the thread's groups are numbered from 0
  std::vector<std::byte> content;  // filled when it is read
};

class TmaStores {
 public:
  void reset();  // a new block begins

  void issue(unsigned thread, const TensorMap& map, const Corner& at, const void* from, const Site& site);
  void commit(unsigned thread);
  // Reads, or reads and writes, all groups of the thread but the newest `left`.
  void wait_read(unsigned thread, unsigned left);
  void wait(unsigned thread, unsigned left);
  // The block ends: writes the stores that have been read. Returns where one was issued that has not; `late`: reads and
  // writes those too, otherwise nothing more is written.
  std::optional<Site> finish(bool late);

 private:
  struct Queue {
    std::vector<TmaStore> stores;  // in flight, oldest first
    std::uint32_t group = 0;       // of the next store
  };
  Queue& of(unsigned thread);
  static void read(TmaStore& store);

  std::vector<Queue> queues_;  // by thread; empty until a kernel uses TMA stores
  bool used_ = false;          // since the last reset
};

}  // namespace cairn::emu
