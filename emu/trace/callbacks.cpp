// The functions that g++'s -fsanitize=thread calls before loads and stores, and -fsanitize=bounds for an index past
// the end of an array: ours instead of the sanitizer's own library.
#include <cstdint>

#include "emu/trace/tracer.hpp"

namespace {

using cairn::emu::Tracer;

[[gnu::always_inline]] inline void on_access(const void* address, unsigned bytes, bool store, const void* from) {
  if (Tracer* tracer = Tracer::current; tracer != nullptr)
    tracer->access(reinterpret_cast<std::uintptr_t>(address), bytes, store, from);
}

void on_volatile(const void* address, unsigned bytes, bool store, const void* from) {
  if (Tracer* tracer = Tracer::current; tracer != nullptr)
    tracer->volatile_access(reinterpret_cast<std::uintptr_t>(address), bytes, store, from);
}

// A copy of a large struct, as accesses of the largest size that fits.
inline void on_range(const void* address, std::uintptr_t bytes, bool store, const void* from) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  while (bytes > 0) {
    unsigned size = 16;
    while (size > bytes || at % size != 0) size /= 2;
    on_access(reinterpret_cast<const void*>(at), size, store, from);
    at += size, bytes -= size;
  }
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define CAIRN_ACCESS(bytes)                                                                                       \
  void __tsan_read##bytes(void* a) { on_access(a, bytes, false, __builtin_return_address(0)); }                   \
  void __tsan_write##bytes(void* a) { on_access(a, bytes, true, __builtin_return_address(0)); }                   \
  void __tsan_volatile_read##bytes(void* a) { on_volatile(a, bytes, false, __builtin_return_address(0)); }        \
  void __tsan_volatile_write##bytes(void* a) { on_volatile(a, bytes, true, __builtin_return_address(0)); }        \
  void __tsan_unaligned_read##bytes(void* a) { on_range(a, bytes, false, __builtin_return_address(0)); }          \
  void __tsan_unaligned_write##bytes(void* a) { on_range(a, bytes, true, __builtin_return_address(0)); }          \
  void __tsan_unaligned_volatile_read##bytes(void* a) { on_range(a, bytes, false, __builtin_return_address(0)); } \
  void __tsan_unaligned_volatile_write##bytes(void* a) { on_range(a, bytes, true, __builtin_return_address(0)); }
CAIRN_ACCESS(1)
CAIRN_ACCESS(2)
CAIRN_ACCESS(4)
CAIRN_ACCESS(8)
CAIRN_ACCESS(16)

void __tsan_read_range(void* a, std::uintptr_t bytes) { on_range(a, bytes, false, __builtin_return_address(0)); }
void __tsan_write_range(void* a, std::uintptr_t bytes) { on_range(a, bytes, true, __builtin_return_address(0)); }

// As the compiler lays it out: the source location, then the types of the array and of the index.
struct TypeData {
  std::uint16_t kind, size;
  char name[1];  // "'float [32]'"
};
struct BoundsData {
  const char* file;
  std::uint32_t line, column;
  const TypeData* array;
};
void __ubsan_handle_out_of_bounds(BoundsData* data, std::uintptr_t index) {
  if (Tracer::current != nullptr) Tracer::current->register_index(data->file, data->line, index, data->array->name);
}
void __ubsan_handle_out_of_bounds_abort(BoundsData* data, std::uintptr_t index) {
  __ubsan_handle_out_of_bounds(data, index);
}

}  // extern "C"
