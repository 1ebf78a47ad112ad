#include "emu/machine/shared_window.hpp"

#include <cstdint>

#include "emu/machine/block.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/machine/shared_memory.hpp"

namespace cairn::emu {

namespace {

constexpr unsigned kAligned = 1024;  // the period of the 128-byte swizzle

// Behind the arrays that there are. As on a GPU the first KiB is reserved.
template <class Arrays> bool add(Arrays& arrays, const void* start, std::size_t bytes) {
  const unsigned next = arrays.empty() ? kAligned : arrays.back().address + arrays.back().bytes;
  const auto in_chunk = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(start) % kAligned);
  const unsigned address = (next + kAligned - 1) / kAligned * kAligned + in_chunk;
  if (address + bytes > SharedWindow::kEnd) return false;
  arrays.push_back({static_cast<const std::byte*>(start), static_cast<unsigned>(bytes), address});
  return true;
}

}  // namespace

void SharedWindow::find() {
  known_ = true;
  arrays_.clear();
  if (launch_->dynamic_shared > 0) add(arrays_, cairn_emu_dynamic_shared(), launch_->dynamic_shared);
  const std::byte* locals = shared_base();
  if (locals == nullptr) return;
  for (const SharedArray& array : kernel_facts(launch_->kernel).shared)
    add(arrays_, locals + array.offset, array.bytes);
}

unsigned SharedWindow::address(const void* shared) {
  if (!known_) find();
  const auto* at = static_cast<const std::byte*>(shared);
  for (const Array& array : arrays_) {
    if (at >= array.start && at <= array.start + array.bytes)
      return array.address + static_cast<unsigned>(at - array.start);
  }
  // Arrays outside of kernels follow in the order in which they are asked for.
  const std::byte* locals = shared_base();
  const SharedArray* other = locals == nullptr ? nullptr : shared_by_kernels(static_cast<std::size_t>(at - locals));
  if (other == nullptr) return 0;
  if (!add(arrays_, locals + other->offset, other->bytes)) return 0;
  return arrays_.back().address + static_cast<unsigned>(at - arrays_.back().start);
}

const std::byte* SharedWindow::base(unsigned first, unsigned end) {
  if (!known_) find();
  for (const Array& array : arrays_) {
    if (first >= array.address && end <= array.address + array.bytes) return array.start - array.address;
  }
  return nullptr;
}

unsigned shared_offset(const void* shared) {
  Block* block = Block::current();
  return block == nullptr ? 0 : block->window().address(shared);
}

}  // namespace cairn::emu
