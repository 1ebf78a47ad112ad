// Kernels with mbarriers, TMA and clusters with one bug each, and their twins without it. Lines that a report
// must name end in "// <- word".
#include <cuda_runtime.h>

#include "device/cluster.hpp"
#include "device/launch.hpp"
#include "device/tma.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

constexpr int kWidth = 32, kRows = 2;  // of a box

// Thread 0 makes barriers that so many will come to.
__device__ void make(Mbarrier* barriers, int count, unsigned arrivals) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < count; ++i) mbarrier_init(&barriers[i], arrivals);
    fence_mbarrier_init();
  }
}

// Warp 1 does not wait, or waits for another phase.
enum class Waits { never, too_early, right };
template <Waits waits> __global__ void use_early(const __grid_constant__ TensorMap map, float* out, int rounds) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  make(&full, 1, 1);
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned parity = static_cast<unsigned>(round) & 1;
    if (threadIdx.x == 0) {
      const int at[] = {0, round};
      mbarrier_arrive_expect_tx(&full, sizeof tile);
      tma_load(tile, map, at, &full);  // <- loaded
    }
    if (warp == 1 && waits != Waits::never) mbarrier_wait(&full, waits == Waits::right ? parity : parity ^ 1);
    if (warp == 1) sum += tile[lane];  // <- used too early
    __syncthreads();
    mbarrier_wait(&full, parity);
    __syncthreads();
  }
  if (warp == 1) out[lane] = sum;
}

// Warp 1 waits for another copy than the one it uses, which has landed by then: warp 0 has waited for it.
template <bool bug> __global__ void wrong_barrier(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float tile[2][kRows * kWidth];
  __shared__ Mbarrier full[2];
  __shared__ int landed;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  make(full, 2, 1);
  if (threadIdx.x == 0) landed = 0;
  __syncthreads();
  if (warp == 0) {
    for (int i = 0; lane == 0 && i < 2; ++i) {
      const int at[] = {0, i};
      mbarrier_arrive_expect_tx(&full[i], sizeof tile[i]);
      tma_load(tile[i], map, at, &full[i]);  // <- landed for others
    }
    mbarrier_wait(&full[0], 0);
    if (lane == 0) atomicExch(&landed, 1);
  } else {
    while (atomicAdd(&landed, 0) == 0) {}
    mbarrier_wait(&full[1], 0);
    if (!bug) mbarrier_wait(&full[0], 0);
    out[lane] = tile[0][lane] + tile[1][lane];  // <- waited for another
  }
}

// A ring whose producer asks only one of two warps whether it is done with a stage.
template <bool bug> __global__ void refill_unasked(const __grid_constant__ TensorMap map, float* out, int rounds) {
  alignas(128) __shared__ float stage[2][kRows * kWidth];
  __shared__ Mbarrier full[2], empty[2];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  make(full, 2, 1);
  make(empty, 2, bug ? 1 : 2);
  __syncthreads();
  if (warp == 0) {
    if (lane != 0) return;
    for (int round = 0; round < rounds; ++round) {
      mbarrier_wait(&empty[round % 2], (static_cast<unsigned>(round / 2) & 1) ^ 1);
      const int at[] = {0, round};
      mbarrier_arrive_expect_tx(&full[round % 2], sizeof stage[0]);
      tma_load(stage[round % 2], map, at, &full[round % 2]);  // <- refilled unasked
    }
    return;
  }
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    mbarrier_wait(&full[round % 2], static_cast<unsigned>(round / 2) & 1);
    sum += stage[round % 2][lane] + stage[round % 2][kWidth + lane];  // <- still used
    __syncwarp();
    if (lane == 0 && (!bug || warp == 1)) mbarrier_arrive(&empty[round % 2]);
  }
  out[threadIdx.x] = sum;
}

// Threads store, all synchronize, one issues the TMA store, which need not see what the other threads stored.
enum class Fences { none, sender, all };
template <Fences fences> __global__ void unfenced(const __grid_constant__ TensorMap map) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  tile[threadIdx.x] = static_cast<float>(threadIdx.x);  // <- stored unfenced
  if (fences == Fences::all) fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (fences == Fences::sender) fence_proxy_async();
  const int at[] = {0, 0};
  tma_store(map, at, tile);  // <- sent unfenced
  tma_commit();
  tma_wait<0>();
}

// The memory of a store is used again before it has been read: by the thread itself, and by others after a barrier.
template <bool bug, bool itself> __global__ void reuse(const __grid_constant__ TensorMap map) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  for (int round = 0; round < 2; ++round) {
    if (!itself || threadIdx.x == 0) {
      for (unsigned i = itself ? 0 : threadIdx.x; i < kRows * kWidth; i += itself ? 1 : blockDim.x)
        tile[i] = static_cast<float>(round);  // <- used again
    }
    fence_proxy_async();
    if (!itself) __syncthreads();
    if (threadIdx.x == 0) {
      const int at[] = {0, 2 * round};
      tma_store(map, at, tile);  // <- still sent
      tma_commit();
      if (!bug) tma_wait_read<0>();
    }
    if (!itself) __syncthreads();
  }
  if (threadIdx.x == 0) tma_wait<0>();
}

// A store to where a copy is under way.
template <bool bug> __global__ void stored_under(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full;
  make(&full, 1, 1);
  if (threadIdx.x == 0) {
    const int at[] = {0, 0};
    mbarrier_arrive_expect_tx(&full, sizeof tile);
    tma_load(tile, map, at, &full);  // <- under way
    if (!bug) mbarrier_wait(&full, 0);
    tile[0] = 2;  // <- stored under it
  }
  __syncthreads();
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Others use a barrier without having met the one who makes it.
template <bool bug> __global__ void unmade(float* out) {
  __shared__ Mbarrier barrier;
  __shared__ int made;
  if (threadIdx.x == 0) made = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 1);  // <- made
    fence_mbarrier_init();
    atomicExch(&made, 1);
  }
  while (atomicAdd(&made, 0) != 1) {}
  if (!bug) __syncthreads();
  if (threadIdx.x == 32) mbarrier_arrive(&barrier);  // <- used unmade
  mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = 1;
}

template <bool bug> __global__ void never_released(float* out) {
  __shared__ Mbarrier barrier;
  make(&barrier, 1, bug ? 3 : 2);
  __syncthreads();
  if (threadIdx.x % 32 == 0) mbarrier_arrive(&barrier);
  mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = 1;
}

template <bool bug> __global__ void too_few_bytes(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full;
  make(&full, 1, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[] = {0, 0};
    mbarrier_arrive_expect_tx(&full, sizeof tile / (bug ? 2 : 1));
    tma_load(tile, map, at, &full);
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// A tensor map larger than the matrix; a matrix that was never written.
__global__ void box_of(const __grid_constant__ TensorMap map, int row, float* out) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full;
  make(&full, 1, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[] = {0, row};
    mbarrier_arrive_expect_tx(&full, sizeof tile);
    tma_load(tile, map, at, &full);  // <- box
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Boxes that blocks of a cluster load for each other. With the bug a block asks only its own threads whether they are
// done with a stage.
template <bool bug> __global__ void refill_of_peer(const __grid_constant__ TensorMap map, float* out, int rounds) {
  alignas(128) __shared__ float stage[2][2][kRows * kWidth];
  __shared__ Mbarrier full[2], empty[2];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = cluster_rank();
  make(full, 2, 1);
  make(empty, 2, bug ? 2 : 4);
  cluster_sync();
  if (threadIdx.x == 0) {
    for (int round = 0; round < rounds; ++round) {
      mbarrier_wait(&empty[round % 2], (static_cast<unsigned>(round / 2) & 1) ^ 1);
      mbarrier_arrive_expect_tx(&full[round % 2], sizeof stage[0]);
      const int at[] = {0, round};
      tma_load_multicast(3, stage[round % 2][rank], map, at, &full[round % 2]);  // <- refilled for both
    }
  }
  float sum = 0;
  for (int round = 0; warp != 0 && round < rounds; ++round) {
    mbarrier_wait(&full[round % 2], static_cast<unsigned>(round / 2) & 1);
    sum += stage[round % 2][0][lane] + stage[round % 2][1][lane];  // <- used by both
    __syncwarp();
    if (lane == 0) mbarrier_arrive(&empty[round % 2]);
    if (lane == 1 && !bug) mbarrier_arrive_remote(&empty[round % 2], rank ^ 1);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster_sync();
}

// A second box for the peer, which has read the first one by then; but the two know that only by a counter.
template <bool bug> __global__ void send_again(const __grid_constant__ TensorMap map, float* out) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full, empty;
  auto* done = reinterpret_cast<int*>(out);
  make(&full, 1, 1);
  make(&empty, 1, 1);
  if (blockIdx.x == 0 && threadIdx.x == 0) *done = 0;
  cluster_sync();
  for (unsigned round = 0; round < 2; ++round) {
    if (cluster_rank() == 0 && threadIdx.x == 0) {
      while (round == 1 && atomicAdd(done, 0) == 0) {}
      if (round == 1 && !bug) mbarrier_wait(&empty, 0);
      const int at[] = {0, 0};
      tma_load_multicast(2, tile, map, at, &full);  // <- sent again
    }
    if (cluster_rank() == 1) {
      if (threadIdx.x == 0) mbarrier_arrive_expect_tx(&full, sizeof tile);
      mbarrier_wait(&full, round);
      out[64 + threadIdx.x] = tile[threadIdx.x];  // <- read by the peer
      __syncthreads();
      if (threadIdx.x == 0 && round == 0) mbarrier_arrive_remote(&empty, 0);
      if (threadIdx.x == 0) atomicExch(done, 1);
    }
  }
  cluster_sync();
}

// What one block leaves in global memory the other takes when they have met.
template <bool bug> __global__ void left_for_peer(float* out) {
  if (cluster_rank() == 0) out[threadIdx.x] = 1;  // <- left for the peer
  if (!bug) cluster_sync();
  if (cluster_rank() == 1) out[threadIdx.x] += 2;  // <- taken by the peer
}
// Or when the one has come to a barrier of the other.
__global__ void told_to_peer(float* out) {
  __shared__ Mbarrier there;
  make(&there, 1, 1);
  cluster_sync();
  if (cluster_rank() == 0) {
    out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) mbarrier_arrive_remote(&there, 1);
  } else {
    mbarrier_wait(&there, 0);
    out[threadIdx.x] += 2;
  }
}

template <bool bug> __global__ void exits_early(float* out) {
  __shared__ Mbarrier barrier;
  make(&barrier, 1, 1);
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) mbarrier_arrive_remote(&barrier, 1);  // <- to one who may be gone
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (!bug) cluster_sync();
}

// What is counted.
__global__ void counted(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to) {
  alignas(128) __shared__ float tile[kRows * kWidth];
  __shared__ Mbarrier full;
  make(&full, 1, 2);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int inside[] = {0, 4}, over[] = {-4, -1};
    mbarrier_arrive_expect_tx(&full, sizeof tile);
    tma_load(tile, from, inside, &full);  // <- counted load
    mbarrier_arrive_expect_tx(&full, 0);
    mbarrier_wait(&full, 0);
    tma_store(to, over, tile);  // <- counted store
    tma_commit();
    tma_wait<0>();
  }
}

namespace {

TensorMap map_of(const float* base, std::uint64_t rows) {
  TensorMap map;
  const TensorBox box{.base = base,
                      .type = Type::f32,
                      .sizes = {kWidth, rows},
                      .strides = {0, kWidth * sizeof(float)},
                      .box = {kWidth, kRows}};
  (void)make_tensor_map(map, box);
  return map;
}

template <class... P, class... A> void go(unsigned cluster, unsigned threads, void (*kernel)(P...), A... arguments) {
  (void)launch_cluster(cluster, {static_cast<std::int64_t>(cluster)}, threads, 0, nullptr, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  const std::uint64_t rows = kFloats / kWidth;
  const TensorMap from = map_of(in, rows), to = map_of(out, rows), longer = map_of(in, rows + 1);
  if (name == "missing_wait") go(1, 64, use_early < bug ? Waits::never : Waits::right >, from, out, 2);
  if (name == "wrong_parity") go(1, 64, use_early < bug ? Waits::too_early : Waits::right >, from, out, 3);
  if (name == "wrong_barrier") go(1, 64, wrong_barrier<bug>, from, out);
  if (name == "refill_unasked") go(1, 96, refill_unasked<bug>, from, out, 6);
  if (name == "unfenced") go(1, 64, unfenced < bug ? Fences::none : Fences::all >, to);
  if (name == "fenced_by_another") go(1, 64, unfenced < bug ? Fences::sender : Fences::all >, to);
  if (name == "reused_by_others") go(1, 64, reuse<bug, false>, to);
  if (name == "reused_by_itself") go(1, 64, reuse<bug, true>, to);
  if (name == "stored_under") go(1, 64, stored_under<bug>, from, out);
  if (name == "unmade") go(1, 64, unmade<bug>, out);
  if (name == "never_released") go(1, 64, never_released<bug>, out);
  if (name == "too_few_bytes") go(1, 64, too_few_bytes<bug>, from, out);
  if (name == "box_past_the_end") go(1, 64, box_of, bug ? longer : from, static_cast<int>(rows) - 1, out);
  if (name == "box_of_unset") go(1, 64, box_of, bug ? to : from, 50, out);
  if (name == "refill_of_peer") go(2, 96, refill_of_peer<bug>, from, out, 6);
  if (name == "left_for_peer") go(2, 32, left_for_peer<bug>, out);
  if (name == "send_again") go(2, 64, send_again<bug>, from, out);
  if (name == "told_to_peer") go(2, 64, told_to_peer, out);
  if (name == "exits_early") go(2, 64, exits_early<bug>, out);
  if (name == "counted") go(1, 32, counted, from, to);
}

}  // namespace

void run_sm90(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
