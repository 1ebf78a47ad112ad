// -fsanitize=thread also replaces atomics of host code by calls: static initialization, std::atomic,
// std::shared_ptr. These just execute them. Kernels use CUDA's atomics, which are calls of the emulator
// anyway (emu/machine/atomics.hpp).
#include <cstdint>

extern "C" {

#define CAIRN_ATOMICS(bits)                                                                                          \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* a, int) {                       \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                  \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) {                    \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                                        \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) {  \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) { \
    return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) { \
    return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_and(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) { \
    return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_or(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) {  \
    return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_xor(volatile std::uint##bits##_t* a, std::uint##bits##_t v, int) { \
    return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_nand(volatile std::uint##bits##_t* a, std::uint##bits##_t v,       \
                                                       int) {                                                        \
    return __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile std::uint##bits##_t* a, std::uint##bits##_t* expected,  \
                                                    std::uint##bits##_t v, int, int) {                               \
    return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                   \
  }                                                                                                                  \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile std::uint##bits##_t* a, std::uint##bits##_t* expected,    \
                                                  std::uint##bits##_t v, int, int) {                                 \
    return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                   \
  }
CAIRN_ATOMICS(8)
CAIRN_ATOMICS(16)
CAIRN_ATOMICS(32)
CAIRN_ATOMICS(64)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
