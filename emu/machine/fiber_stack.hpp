// Stacks for fibers: address space is taken generously, memory only for the pages that are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::emu {

struct Stack {
  std::byte* low = nullptr;  // the lowest usable byte; a guard page lies under it
  std::byte* top = nullptr;  // one past the highest
};

// Holds the stacks of one OS thread and hands the same ones out again for every block.
class StackPool {
 public:
  static constexpr std::size_t kBytes = 128 * 1024;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Throws std::bad_alloc when the address space cannot be had.
  void grow_to(std::size_t count);
  const Stack& operator[](std::size_t i) const { return stacks_[i]; }
  // The stretches of memory that they lie in; almost always one.
  std::size_t slabs() const { return slabs_.size(); }
  Stack first_slab() const {
    auto* low = static_cast<std::byte*>(slabs_.at(0).address);
    return {low, low + slabs_[0].bytes};
  }
  // Whether an address lies in one of them.
  bool holds(std::uintptr_t address) const {
    for (const Slab& slab : slabs_) {
      if (address - reinterpret_cast<std::uintptr_t>(slab.address) < slab.bytes) return true;
    }
    return false;
  }

 private:
  struct Slab {
    void* address;
    std::size_t bytes;
  };
  std::vector<Slab> slabs_;
  std::vector<Stack> stacks_;
};

}  // namespace cairn::emu
