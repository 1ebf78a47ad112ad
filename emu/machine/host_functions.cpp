// How many threads a block of a kernel should have, by occupancy.
#include <algorithm>

#include "emu/machine/host_errors.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/settings.hpp"
#include "emu/shadow/emu_functions.h"

namespace cairn::emu {

cudaError_t best_block_size(int* blocks, int* threads, const void* kernel, int most_threads,
                            std::size_t (*shared_of)(void* context, int threads), void* context) {
  if (blocks == nullptr || threads == nullptr || kernel == nullptr || most_threads < 0) {
    return note(cudaErrorInvalidValue);
  }
  constexpr int kAll = static_cast<int>(kMostThreads), kStep = static_cast<int>(kWarp);
  const int most = most_threads == 0 ? kAll : std::min(most_threads, kAll);
  int best = 0;
  *blocks = *threads = 0;
  // Downwards, so that the largest block of equal occupancy is chosen. `most` itself need be no multiple of a warp.
  for (int size = most; size > 0; size = (size - 1) / kStep * kStep) {
    int resident = 0;
    const cudaError_t error = occupancy(&resident, kernel, size, shared_of(context, size));
    if (error != cudaSuccess) return error;
    if (resident * size <= best) continue;
    best = resident * size;
    *threads = size;
    *blocks = resident * device_facts().sms;
  }
  return cudaSuccess;
}

}  // namespace cairn::emu
