// Shared by the tests of cooperative groups: one block of 96 threads, 8 x 4 x 3, each of which writes some numbers.
#pragma once

#include <vector>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {

inline constexpr int kThreads = 96;

// What the threads write, `each` numbers by every one.
template <class... P, class... A> std::vector<int> numbers(int each, void (*kernel)(P...), const A&... arguments) {
  const Array<int> out(std::vector<int>(static_cast<std::size_t>(kThreads * each), -7));
  run({1}, dim3(8, 4, 3), 0, kernel, out.data(), arguments...);
  return out.host();
}

__device__ inline int thread() { return static_cast<int>(threadIdx.x + 8 * threadIdx.y + 32 * threadIdx.z); }

}  // namespace cairn::emu_test
