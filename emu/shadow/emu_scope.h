// What the cuda:: headers share: scopes, and a number of bytes with a promise about alignment.
#pragma once

#include <cstddef>

namespace cuda {

// Names only: whatever one thread does is visible to all others here.
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size of which both addresses of a copy, too, are multiples.
template <::std::size_t Alignment> struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit constexpr aligned_size_t(::std::size_t bytes) : value(bytes) {}
  constexpr operator ::std::size_t() const { return value; }
};

}  // namespace cuda
