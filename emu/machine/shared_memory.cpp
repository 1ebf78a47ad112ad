#include "emu/machine/shared_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "emu/machine/elf_symbols.hpp"
#include "emu/machine/kernel_facts.hpp"

namespace cairn::emu {

void poison_shared(const Launch& launch) {
  if (launch.dynamic_shared > 0) std::memset(cairn_emu_dynamic_shared(), 0xff, launch.dynamic_shared);
  const KernelFacts& facts = kernel_facts(launch.kernel);
  if (facts.shared.empty()) return;
  std::byte* base = shared_base();
  if (base == nullptr) return;
  for (const SharedArray& array : facts.shared) std::memset(base + array.offset, 0xff, array.bytes);
}

namespace {

// All thread_local variables of the image: static shared arrays, wherever they are declared.
std::uint64_t bytes_of_locals() {
  std::uint64_t end = 0;
  for (const Symbol& symbol : this_image().symbols) {
    if (symbol.is_thread_local) end = std::max(end, symbol.value + symbol.bytes);
  }
  return end;
}

}  // namespace

bool is_shared(const void* address) {
  static const std::uint64_t bytes = bytes_of_locals();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::byte* base = shared_base();
  if (base == nullptr || bytes == 0) return true;
  if (at - reinterpret_cast<std::uintptr_t>(base) < bytes) return true;
  return at - reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared()) < kMostShared;
}

std::size_t room_in_shared(const Launch& launch, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t in_dynamic = at - reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared());
  if (in_dynamic < kMostShared) return in_dynamic < launch.dynamic_shared ? launch.dynamic_shared - in_dynamic : 0;
  const auto base = reinterpret_cast<std::uintptr_t>(shared_base());
  for (const SharedArray& array : kernel_facts(launch.kernel).shared) {
    const std::uintptr_t in = at - base - array.offset;
    if (base != 0 && in < array.bytes) return array.bytes - in;
  }
  if (const SharedArray* array = base == 0 ? nullptr : shared_by_kernels(at - base))
    return array->offset + array->bytes - (at - base);
  return is_shared(address) ? kMostShared : 0;
}

// Offsets of static arrays and of dynamic shared memory: the dynamic ones begin after the largest static one.
namespace {
constexpr std::size_t kDynamic = std::size_t{1} << 32;
}

std::size_t place_in_shared(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t in_dynamic = at - reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared());
  return in_dynamic < kMostShared ? kDynamic + in_dynamic : at - reinterpret_cast<std::uintptr_t>(shared_base());
}

void* shared_at(std::size_t offset) {
  if (offset >= kDynamic) return static_cast<std::byte*>(cairn_emu_dynamic_shared()) + (offset - kDynamic);
  return shared_base() + offset;
}

}  // namespace cairn::emu
