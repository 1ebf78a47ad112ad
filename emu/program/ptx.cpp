// The parts of inline PTX that need the machine: addresses of the shared window.
#include <string>

#include "emu/machine/builtin_call.hpp"
#include "emu/shadow/cuda_runtime_api.h"
#include "emu/shadow/emu_ptx_bits.h"

namespace cairn::emu::ptx {

void* find(Shared at, std::size_t bytes) {
  Block* block = Block::current();
  if (block == nullptr || at.offset >= SharedWindow::kEnd) return nullptr;
  const auto first = static_cast<unsigned>(at.offset);
  const std::byte* base = block->window().base(first, first + static_cast<unsigned>(bytes));
  return base == nullptr ? nullptr : const_cast<std::byte*>(base + first);
}

void* shared_pointer(Shared at, std::size_t bytes, const char* call, Site site) {
  void* found = find(at, bytes);
  if (found == nullptr) [[unlikely]]
    refuse(call,
           (std::to_string(bytes) + " bytes at offset " + std::to_string(at.offset) +
            " of shared memory are in none of the block's shared arrays")
               .c_str(),
           site);
  return found;
}

void refuse(const char* call, const char* why, Site site) {
  const BuiltinCall block(call, site);
  block->fail(std::string(call) + ": " + why + ", " + site.file_name() + ":" + std::to_string(site.line()) +
              ", in thread " + std::to_string(block->self().linear));
}

std::uint64_t offset_of(std::uint64_t generic) { return shared_offset(reinterpret_cast<const void*>(generic)); }

std::uint64_t generic(std::uint64_t offset) { return reinterpret_cast<std::uint64_t>(find({offset}, 1)); }

unsigned multiprocessors() {
  int count = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  return static_cast<unsigned>(count);
}

}  // namespace cairn::emu::ptx
