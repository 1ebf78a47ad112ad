#include "emu/machine/fiber_stack.hpp"

#include <new>
#include <unistd.h>

#include <sys/mman.h>

namespace cairn::emu {

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) munmap(slab.address, slab.bytes);
}

void StackPool::grow_to(std::size_t count) {
  if (count <= stacks_.size()) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t each = page + kBytes;  // kBytes is a multiple of every page size in use
  const std::size_t more = count - stacks_.size();
  stacks_.reserve(count);
  slabs_.reserve(slabs_.size() + 1);
  void* slab = mmap(nullptr, more * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED) throw std::bad_alloc();
  slabs_.push_back({slab, more * each});
  // A huge page would commit sixteen stacks at once.
  madvise(slab, more * each, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < more; ++i) {
    std::byte* low = static_cast<std::byte*>(slab) + i * each;
    // A guard costs a mapping, and the kernel has a limit on those (65530 by default): with very many OS threads the
    // last stacks go without one rather than the launch failing.
    (void)mprotect(low, page, PROT_NONE);
    // Fibers run one after another and use the same part of their stacks. If all tops had the same offset in a page,
    // they would compete for a few cache sets; offsets of some cache lines spread them.
    const std::size_t colour = (stacks_.size() * 832) % 4096;
    stacks_.push_back({low + page, low + each - colour});
  }
}

}  // namespace cairn::emu
