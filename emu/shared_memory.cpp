#include "emu/shared_memory.hpp"

#include <cstring>

#include "emu/kernels.hpp"

namespace cairn::emu {

void poison_shared(const Launch& launch) {
  if (launch.dynamic_shared > 0) std::memset(cairn_emu_dynamic_shared(), 0xff, launch.dynamic_shared);
  const KernelFacts& facts = kernel_facts(launch.kernel);
  if (facts.shared.empty()) return;
  std::byte* base = shared_base();
  if (base == nullptr) return;
  for (const SharedArray& array : facts.shared) std::memset(base + array.offset, 0xff, array.bytes);
}

}  // namespace cairn::emu
