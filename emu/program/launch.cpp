#include "emu/program/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "emu/machine/bad_access.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/elf_symbols.hpp"
#include "emu/machine/errors.hpp"
#include "emu/program/device_heap.hpp"
#include "emu/sm90/late_use.hpp"

namespace cairn::emu::program {
namespace {

thread_local bool looking = false;
thread_local const void* found = nullptr;  // an address within the kernel
thread_local dim3 found_cluster;

// Before main(), for launches of every kind.
[[maybe_unused]] const bool heeds = (heed_bad_accesses(), true);
[[maybe_unused]] const bool tolerates = late_uses_are_tolerated = true;

// Where the function begins that holds this address.
const void* beginning_of(const void* inside) {
  const Image& image = this_image();
  const std::uint64_t value = reinterpret_cast<std::uint64_t>(inside) - image.loaded_at;
  const auto holds = [&](const Symbol& symbol) {
    return !symbol.is_thread_local && symbol.value < value && value <= symbol.value + symbol.bytes;
  };
  const auto symbol = std::ranges::find_if(image.symbols, holds);
  return symbol == image.symbols.end() ? nullptr : reinterpret_cast<const void*>(image.loaded_at + symbol->value);
}

}  // namespace

Found kernel_in(void (*once)(const void* call), const void* call) {
  looking = true;
  found = nullptr;
  once(call);
  looking = false;
  if (found == nullptr) return {};
  return {beginning_of(found), found_cluster};
}

bool entered(const void*, dim3 cluster) {
  if (!looking) [[likely]]
    return false;
  found = __builtin_return_address(0);
  found_cluster = cluster;
  return true;
}

void run(const Launch& wanted) {
  if (Block* block = Block::current()) {
    block->busy(true);
    block->fail("a kernel launches a kernel: dynamic parallelism is not emulated, in thread " +
                std::to_string(block->self().linear));
  }
  rewind_device_heap();
  const cudaError_t error = launch(wanted);
  if (error == cudaSuccess) return;
  std::fflush(stdout);
  std::fprintf(stderr, "cairn: %s\n", last_report().empty() ? cudaGetErrorString(error) : last_report().c_str());
}

void refuse_ptx(const char* text, const char* file, int line) {
  Block* block = Block::current();
  const std::string where = std::string(file) + ":" + std::to_string(line);
  const std::string what = "inline PTX is not emulated: \"" + std::string(text) + "\", " + where;
  if (block == nullptr) {
    std::fprintf(stderr, "cairn: %s, and host code came there\n", what.c_str());
    std::abort();
  }
  block->busy(true);
  block->fail(what + ", in thread " + std::to_string(block->self().linear));
}

}  // namespace cairn::emu::program
