#include "emu/program/device_heap.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "emu/machine/block.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu::program {
namespace {

constexpr std::size_t kArena = std::size_t{256} << 20, kAlign = 16;
constexpr unsigned char kPoison = 0xff;  // a NaN, as in other memory that nobody has set

struct Head {
  std::size_t bytes;  // of the block behind it; 0 once it was freed
  std::size_t unused;
};
static_assert(sizeof(Head) == kAlign);

std::mutex mutex;
std::byte* arena = nullptr;
std::size_t next = 0;  // of the arena, what is not given away yet
std::size_t in_use = 0;

bool in_kernel() {
  const Block* block = Block::current();
  return block != nullptr && !block->busy();
}
bool is_ours(const void* pointer) {
  return arena != nullptr && static_cast<const std::byte*>(pointer) - arena < static_cast<std::ptrdiff_t>(kArena) &&
         static_cast<const std::byte*>(pointer) >= arena;
}

// With the lock held.
void open_arena() {
  void* memory = mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  arena = static_cast<std::byte*>(memory);
  if (trace_hooks != nullptr) trace_hooks->allocated(arena, kArena);
}

// Null where CUDA's is: if more than the heap's limit would be in use.
void* take(std::size_t bytes) {
  std::size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  const std::lock_guard lock(mutex);
  if (arena == nullptr) open_arena();
  if (arena == nullptr || bytes > limit || in_use > limit - bytes || bytes + 2 * kAlign > kArena - next)
    return nullptr;
  auto* head = new (arena + next) Head{bytes, 0};
  next += kAlign + (bytes + kAlign - 1) / kAlign * kAlign;
  in_use += bytes;
  std::memset(head + 1, kPoison, bytes);
  return head + 1;
}

void give_back(void* pointer) {
  const std::lock_guard lock(mutex);
  Head* head = static_cast<Head*>(pointer) - 1;
  in_use -= head->bytes;
  head->bytes = 0;
}

}  // namespace

void rewind_device_heap() {
  const std::lock_guard lock(mutex);
  if (arena == nullptr || in_use > 0 || next == 0) return;
  next = 0;
  if (trace_hooks == nullptr) return;
  trace_hooks->released(arena);
  trace_hooks->allocated(arena, kArena);
}

}  // namespace cairn::emu::program

using namespace cairn::emu;

void* cairn_program_malloc(std::size_t bytes) noexcept {
  if (!program::in_kernel()) return std::malloc(bytes);
  Block::current()->busy(true);  // the next thread would wait for the lock for good
  void* memory = bytes == 0 ? nullptr : program::take(bytes);
  Block::current()->busy(false);
  return memory;
}

void cairn_program_free(void* pointer) noexcept {
  if (pointer == nullptr) return;
  if (!program::is_ours(pointer)) return std::free(pointer);
  Block* block = Block::current();
  if (block != nullptr) block->busy(true);
  program::give_back(pointer);
  if (block != nullptr) block->busy(false);
}
