// Stacks for fibers. Address space is reserved; memory is used only for pages that are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::emu {

struct Stack {
  std::byte* low = nullptr;  // the lowest usable byte, above a guard page
  std::byte* top = nullptr;  // one past the highest
};

// The stacks of one OS thread, reused for every block.
class StackPool {
 public:
  static constexpr std::size_t kBytes = 128 * 1024;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Throws std::bad_alloc when the address space cannot be reserved.
  void grow_to(std::size_t count);
  const Stack& operator[](std::size_t i) const { return stacks_[i]; }
  // The mappings that contain the stacks; almost always one.
  std::size_t slabs() const { return slabs_.size(); }
  Stack first_slab() const {
    auto* low = static_cast<std::byte*>(slabs_.at(0).address);
    return {low, low + slabs_[0].bytes};
  }
  // Whether an address is in one of them.
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
