// How many threads a pass over so many elements is worth: one, until there are a million.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

namespace cairn::lab {

inline int workers_for(std::int64_t elements) {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return elements < (1 << 20) ? 1 : threads;
}

}  // namespace cairn::lab
