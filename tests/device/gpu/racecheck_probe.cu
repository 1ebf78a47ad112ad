// What racecheck of compute-sanitizer follows: racecheck_probe WAY, run under it. A warp fills slots of shared memory,
// another reads them, and mbarriers order the two, as warps of the summit do with the scales of blocks.
//
//   copy-each     copied by cp.async; every lane arrives at the slot's mbarrier
//   copy-one      copied by cp.async; one lane arrives for its warp, after __syncwarp
//   store-each    stored; every lane arrives
//   store-one     stored; one lane arrives for its warp, after __syncwarp
//   nobody        copied, and the reader does not wait: a race
//
// All but the last are ordered by the PTX memory model. Exits 1 if a value that was read is wrong.
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

#include "device/async_copy.hpp"
#include "device/mbarrier.hpp"

namespace {

constexpr int kSlots = 4, kSteps = 64;

struct Way {
  bool copies, each, waits;
};

__global__ void racecheck_probe(const float* in, float* out, Way way) {
  __shared__ float slots[kSlots][32];
  __shared__ cairn::Mbarrier full[kSlots], empty[kSlots];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSlots; ++i) {
      cairn::mbarrier_init(full + i, way.each ? 32 : 1);
      cairn::mbarrier_init(empty + i, way.each ? 32 : 1);
    }
    cairn::fence_mbarrier_init();
  }
  __syncthreads();
  const auto arrive = [&](cairn::Mbarrier* at) {
    __syncwarp();
    if (way.each || lane == 0) cairn::mbarrier_arrive(at);
  };
  float sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    const int slot = step % kSlots;
    const auto phase = static_cast<unsigned>(step / kSlots % 2);
    if (threadIdx.x < 32) {
      if (way.waits) cairn::mbarrier_wait(empty + slot, phase ^ 1);
      if (way.copies) {
        cairn::async_copy<4>(&slots[slot][lane], in + step * 32 + lane);
        cairn::async_wait_all();
      } else {
        slots[slot][lane] = in[step * 32 + lane];
      }
      arrive(full + slot);
    } else {
      if (way.waits) cairn::mbarrier_wait(full + slot, phase);
      sum += slots[slot][31 - lane];  // of another lane
      arrive(empty + slot);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

}  // namespace

int main(int count, char** words) {
  const char* const name = count == 2 ? words[1] : "";
  const bool copies = std::strncmp(name, "copy-", 5) == 0, stores = std::strncmp(name, "store-", 6) == 0,
             nobody = std::strcmp(name, "nobody") == 0;
  if (!copies && !stores && !nobody)
    return std::fputs("usage: racecheck_probe copy-each | copy-one | store-each | store-one | nobody\n", stderr), 2;
  const Way way{copies || nobody, std::strstr(name, "each") != nullptr, !nobody};

  constexpr int numbers = kSteps * 32;
  float host[numbers], sums[32];
  for (int i = 0; i < numbers; ++i) host[i] = static_cast<float>(i % 32);
  float *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, sizeof host) != cudaSuccess || cudaMalloc(&out, sizeof sums) != cudaSuccess)
    return std::fputs("racecheck_probe: no GPU, or no memory on it\n", stderr), 77;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  racecheck_probe<<<1, 64>>>(in, out, way);
  if (cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost) != cudaSuccess)
    return std::fputs("racecheck_probe: the kernel failed\n", stderr), 1;
  for (int lane = 0; way.waits && lane < 32; ++lane)
    if (sums[lane] != static_cast<float>((31 - lane) * kSteps))
      return std::fprintf(stderr, "racecheck_probe: lane %d has %g\n", lane, static_cast<double>(sums[lane])), 1;
  return std::printf("%s: done\n", name), 0;
}
