// The kernels that make planes of A and B (split_planes.hpp). The first reads all elements for the range of each row;
// the second, only
// where several blocks looked at a row, puts together what they saw; the third, which knows how many rows are wild,
// decides between the two kinds of planes and writes them. Nothing goes to the host and back.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/launch.hpp"
#include "device/pack.hpp"
#include "device/pdl.hpp"
#include "kernels/hopper/parts/split_planes.hpp"

namespace cairn::hopper {

inline constexpr int kExtentThreads = 512, kExtentWarps = kExtentThreads / 32;

struct WildRows {
  int f16 = 0, bf16 = 0;
  __device__ __forceinline__ void add(RowRange range) {
    f16 += range.wild(true) ? 1 : 0, bf16 += range.wild(false) ? 1 : 0;
  }
};

// Which part of k a block looks at, where the rows are too few to keep the GPU busy: a slice has its own extents, and
// hopper_split_ranges puts them together.
__host__ __device__ inline std::int64_t slice_length(const SplitOperand& g) {
  return ((g.k + g.slices - 1) / g.slices + 127) / 128 * 128;
}

// A lane's part of elements begin … end - 1 of a contiguous row, with four loads in flight.
__device__ __forceinline__ void add_row(Extent& extent, const float* row, std::int64_t begin, std::int64_t end,
                                        int lane, bool vector) {
  constexpr int loads = 4, step = 32 * 4;
  std::int64_t i = begin + lane * 4;
  if (vector) {
    for (; i + (loads - 1) * step + 4 <= end; i += loads * step) {
      float4 four[loads];
#pragma unroll
      for (int u = 0; u < loads; ++u) four[u] = load4(row + i + u * step);
#pragma unroll
      for (int u = 0; u < loads; ++u)
        extent.add(four[u].x), extent.add(four[u].y), extent.add(four[u].z), extent.add(four[u].w);
    }
    for (; i < end; i += step)
      for (int e = 0; e < 4 && i + e < end; ++e) extent.add(row[i + e]);
  } else {
#pragma unroll 8
    for (i = begin + lane; i < end; i += 32) extent.add(row[i]);
  }
}

// Adds up how many rows the threads of a block found to be wild. All of them call it.
__device__ __forceinline__ void put_counts(const WildRows& found, int (&shared)[2], int* counts) {
  if (threadIdx.x == 0) shared[0] = shared[1] = 0;
  __syncthreads();
  if (found.f16 > 0) atomicAdd(&shared[0], found.f16);
  if (found.bf16 > 0) atomicAdd(&shared[1], found.bf16);
  __syncthreads();
  if (threadIdx.x == 0) counts[2 * blockIdx.x] = shared[0], counts[2 * blockIdx.x + 1] = shared[1];
}

// The extent of each row in each slice of k; or `whole`, where there is one slice, its range. Blocks 0 … blocks_a - 1
// look at A, the others at B.
static __global__ void __launch_bounds__(kExtentThreads)
    hopper_split_extents(const __grid_constant__ SplitOperand A, const __grid_constant__ SplitOperand B, int blocks_a,
                         bool whole, int* counts) {
  __shared__ Extent shared[kExtentWarps][32 + 1];
  __shared__ int wild[2];
  WildRows found;
  pdl_launch_dependents();
  pdl_wait();
  const bool is_a = static_cast<int>(blockIdx.x) < blocks_a;
  const SplitOperand& g = is_a ? A : B;
  const int block = static_cast<int>(blockIdx.x) - (is_a ? 0 : blocks_a),
            blocks = is_a ? blocks_a : static_cast<int>(gridDim.x) - blocks_a;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t rows = g.rows * g.matrices, length = slice_length(g);
  const auto put = [&](std::int64_t slice, std::int64_t row, const Extent& extent) {
    if (!whole) {
      g.extents[slice * rows + row] = extent;
    } else {
      const RowRange range = extent.range();
      g.ranges[row] = range;
      found.add(range);
    }
  };
  if (g.k_major) {  // a warp has a row
    const std::int64_t sixteens = (rows + kExtentWarps - 1) / kExtentWarps;
    for (std::int64_t item = block; item < sixteens * g.slices; item += blocks) {
      const std::int64_t slice = item / sixteens, row = item % sixteens * kExtentWarps + warp;
      if (row >= rows) continue;
      const std::int64_t matrix = row / g.rows, begin = slice * length;
      Extent extent = Extent::none();
      add_row(extent, g.from + matrix * g.stride + (row - matrix * g.rows) * g.ld, begin, min(begin + length, g.k),
              lane, g.vector);
      extent.add_lanes();
      if (lane == 0) put(slice, row, extent);
    }
  } else {  // a lane has a row, and the warps share k
    const std::int64_t strips = (g.rows + 31) / 32, all = strips * g.matrices;
    for (std::int64_t item = block; item < all * g.slices; item += blocks) {
      const std::int64_t slice = item / all, matrix = item % all / strips, row = item % all % strips * 32 + lane,
                         end = min((slice + 1) * length, g.k);
      Extent extent = Extent::none();
      if (row < g.rows) {
        const float* const from = g.from + matrix * g.stride + row;
#pragma unroll 8
        for (std::int64_t k = slice * length + warp; k < end; k += kExtentWarps) extent.add(from[k * g.ld]);
      }
      shared[warp][lane] = extent;
      __syncthreads();
      if (warp == 0 && row < g.rows) {
        for (int w = 1; w < kExtentWarps; ++w) extent.add(shared[w][lane]);
        put(slice, matrix * g.rows + row, extent);
      }
      __syncthreads();
    }
  }
  if (whole) put_counts(found, wild, counts);
}

inline constexpr int kRangeThreads = 256;

// The range of each row; and how many of a block's rows are wild, for either kind of planes.
static __global__ void __launch_bounds__(kRangeThreads)
    hopper_split_ranges(const __grid_constant__ SplitOperand A, const __grid_constant__ SplitOperand B, int* counts) {
  __shared__ int wild[2];
  pdl_launch_dependents();
  pdl_wait();
  const std::int64_t rows_a = A.rows * A.matrices, all = rows_a + B.rows * B.matrices;
  WildRows found;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kRangeThreads + threadIdx.x; i < all;
       i += std::int64_t{gridDim.x} * kRangeThreads) {
    const bool is_a = i < rows_a;
    const SplitOperand& g = is_a ? A : B;
    const std::int64_t row = is_a ? i : i - rows_a, rows = is_a ? rows_a : all - rows_a;
    Extent extent = Extent::none();
#pragma unroll 8
    for (int slice = 0; slice < g.slices; ++slice) extent.add(g.extents[slice * rows + row]);
    const RowRange range = extent.range();
    g.ranges[row] = range;
    found.add(range);
  }
  put_counts(found, wild, counts);
}

// Eight neighbours along k as planes: 16 bytes of each plane.
__device__ __forceinline__ void write_planes(std::uint16_t* row, int k, const float (&x)[8], bool f16) {
  const auto put = [](std::uint16_t* to, const std::uint32_t(&pairs)[4]) {
    *reinterpret_cast<uint4*>(to) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
  };
  std::uint32_t planes[3][4];
  if (f16) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      float lo[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float v = x[2 * e + i], hi = __half2float(__float2half_rn(v));
        lo[i] = (v - hi) * static_cast<float>(1 << kLowExponent);
      }
      planes[0][e] = pack<__half>(x[2 * e], x[2 * e + 1]);
      planes[1][e] = pack<__half>(lo[0], lo[1]);
    }
    std::uint16_t* const to = row + k / kF16Planes.k * kF16Planes.chunk + k % kF16Planes.k;
    put(to, planes[0]);
    put(to + kF16Planes.k, planes[1]);
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      float rest[2] = {x[2 * e], x[2 * e + 1]};
#pragma unroll
      for (int p = 0; p < 3; ++p) {
        planes[p][e] = pack<__nv_bfloat16>(rest[0], rest[1]);
#pragma unroll
        for (int i = 0; i < 2; ++i) rest[i] -= __bfloat162float(__float2bfloat16_rn(rest[i]));
      }
    }
    std::uint16_t* const to = row + k / kBf16Planes.k * kBf16Planes.chunk + k % kBf16Planes.k;
#pragma unroll
    for (int p = 0; p < 3; ++p) put(to + p * kBf16Planes.k, planes[p]);
  }
}

inline constexpr int kSplitThreads = 256, kAtOnce = 2;  // eights of k that a thread loads before it stores any

// The decision, from the counts of all blocks; each block comes to the same one.
__device__ __forceinline__ SplitHeader decide(const int* counts, int blocks, bool may_f16, int (&shared)[2]) {
  if (threadIdx.x == 0) shared[0] = shared[1] = 0;
  __syncthreads();
  WildRows found;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += kSplitThreads)
    found.f16 += counts[2 * i], found.bf16 += counts[2 * i + 1];
  if (found.f16 > 0) atomicAdd(&shared[0], found.f16);
  if (found.bf16 > 0) atomicAdd(&shared[1], found.bf16);
  __syncthreads();
  const bool f16 = may_f16 && shared[0] <= kMostWild;
  return {f16 ? 1 : 0, f16 ? shared[0] : shared[1]};
}

// Scales a row's elements; those of wild rows are zeros.
struct RowScale {
  int exponent;
  bool wild;
  __device__ __forceinline__ RowScale(RowRange range, bool f16)
      : exponent((f16 ? kF16Planes.exponent : kBf16Planes.exponent) - range.exponent()), wild(range.wild(f16)) {}
  __device__ __forceinline__ float of(float x) const { return wild ? 0 : times_power(x, exponent); }
};

// Squares of 64 of k by 64 rows, through shared memory, from an operand whose rows are not contiguous.
inline constexpr int kSquare = 64;

static __global__ void __launch_bounds__(kSplitThreads, 4)
    hopper_split(const __grid_constant__ SplitOperand A, const __grid_constant__ SplitOperand B, int blocks_a,
                 const int* counts, int range_blocks, bool may_f16, SplitHeader* header) {
  __shared__ float square[kSquare][kSquare + 1];
  __shared__ int wild[2];
  pdl_launch_dependents();
  pdl_wait();
  const SplitHeader decision = decide(counts, range_blocks, may_f16, wild);
  const bool f16 = decision.f16 != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) *header = decision;
  const bool is_a = static_cast<int>(blockIdx.x) < blocks_a;
  const SplitOperand& g = is_a ? A : B;
  const int block = static_cast<int>(blockIdx.x) - (is_a ? 0 : blocks_a),
            blocks = is_a ? blocks_a : static_cast<int>(gridDim.x) - blocks_a;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t rows = g.rows * g.matrices, padded = (g.k + kUnit - 1) / kUnit * kUnit;
  if (g.k_major) {
    // Threads along k, and what is left of them down the rows.
    const std::int64_t eights = padded / 8;
    int across = 8;
    while (across < eights && across < kSplitThreads) across *= 2;
    const int down = kSplitThreads / across, x = thread % across, y = thread / across;
    for (std::int64_t row = std::int64_t{block} * down + y; row < rows; row += std::int64_t{blocks} * down) {
      const std::int64_t matrix = g.matrices == 1 ? 0 : row / g.rows;
      const float* const from = g.from + matrix * g.stride + (row - matrix * g.rows) * g.ld;
      std::uint16_t* const to = g.planes + row * g.words;
      const RowScale scale(g.ranges[row], f16);
      for (std::int64_t i = x; i < eights; i += kAtOnce * across) {
        float v[kAtOnce][8];
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) {
          const std::int64_t k = (i + u * across) * 8;
          if (g.vector && k + 8 <= g.k) {
            const float4 low = load4(from + k), high = load4(from + k + 4);
            v[u][0] = low.x, v[u][1] = low.y, v[u][2] = low.z, v[u][3] = low.w;
            v[u][4] = high.x, v[u][5] = high.y, v[u][6] = high.z, v[u][7] = high.w;
          } else {
#pragma unroll
            for (int e = 0; e < 8; ++e) v[u][e] = k + e < g.k ? from[k + e] : 0;
          }
        }
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) {
          if (i + u * across >= eights) break;
#pragma unroll
          for (float& e : v[u]) e = scale.of(e);
          write_planes(to, static_cast<int>((i + u * across) * 8), v[u], f16);
        }
      }
    }
    return;
  }
  const std::int64_t across = (g.rows + kSquare - 1) / kSquare, down = padded / kSquare;
  const int col = thread % kSquare, first_k = thread / kSquare;
  constexpr int step = kSplitThreads / kSquare, loads = kSquare / step;
  for (std::int64_t i = block; i < across * down * g.matrices; i += blocks) {
    const std::int64_t matrix = g.matrices == 1 ? 0 : i / (across * down), at = i - matrix * (across * down);
    const std::int64_t first = at % across * kSquare, k0 = at / across * kSquare;
    const float* const from = g.from + matrix * g.stride + (k0 + first_k) * g.ld + first + col;
    const std::int64_t depth = first + col < g.rows ? g.k - k0 - first_k : 0;
    float v[loads];
#pragma unroll
    for (int e = 0; e < loads; ++e) v[e] = e * step < depth ? from[e * step * g.ld] : 0;
#pragma unroll
    for (int e = 0; e < loads; ++e) square[first_k + e * step][col] = v[e];
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int line = thread / 8 + half * 32, k = thread % 8 * 8;
      if (first + line >= g.rows) continue;
      const std::int64_t row = matrix * g.rows + first + line;
      const RowScale scale(g.ranges[row], f16);
      float eight[8];
#pragma unroll
      for (int e = 0; e < 8; ++e) eight[e] = scale.of(square[k + e][line]);
      write_planes(g.planes + row * g.words, static_cast<int>(k0) + k, eight, f16);
    }
    __syncthreads();
  }
}

inline SplitOperand split_operand(const Matrix& m, std::byte* scratch, const SplitOperandMemory& at, int sms) {
  const bool vector =
      m.major == Major::k && !misaligned(m.base) && m.ld % 4 == 0 && (m.matrices() == 1 || m.stride % 4 == 0);
  return {static_cast<const float*>(m.base),
          m.rows,
          m.k,
          m.ld,
          m.stride,
          m.matrices(),
          m.major == Major::k,
          vector,
          slices_of(m, sms),
          reinterpret_cast<Extent*>(scratch + at.extents),
          reinterpret_cast<RowRange*>(scratch + at.ranges),
          reinterpret_cast<std::uint16_t*>(scratch + at.planes),
          plane_words(m.k)};
}

// The kernels, one after the other.
inline Status split_operands(const SplitOperand& A, const SplitOperand& B, int* counts, SplitHeader* header,
                             bool may_f16, int sms, Stream stream) {
  const bool whole = A.slices == 1 && B.slices == 1;
  const auto extent_blocks = [&](const SplitOperand& g) {
    const std::int64_t most = whole ? kRangeBlocks / 2 : 16 * sms;
    return static_cast<int>(std::min(extent_items(g.rows, g.matrices, g.k_major) * g.slices, most));
  };
  const auto split_blocks = [&](const SplitOperand& g) {
    constexpr std::int64_t each = std::int64_t{kSplitThreads} * 8;  // of k
    return static_cast<int>(std::clamp<std::int64_t>(ceil_div(g.all_rows() * g.k, each), 1, 8 * sms));
  };
  int ranges = extent_blocks(A) + extent_blocks(B);
  if (Status s = launch_pdl_co_resident({ranges}, kExtentThreads, 0, stream, hopper_split_extents, A, B,
                                        extent_blocks(A), whole, counts);
      !s.ok())
    return s;
  if (!whole) {
    const std::int64_t blocks = ceil_div(A.all_rows() + B.all_rows(), kRangeThreads);
    ranges = static_cast<int>(std::min<std::int64_t>(blocks, kRangeBlocks));
    if (Status s = launch_pdl_co_resident({ranges}, kRangeThreads, 0, stream, hopper_split_ranges, A, B, counts);
        !s.ok())
      return s;
  }
  return launch_pdl_co_resident({split_blocks(A) + split_blocks(B)}, kSplitThreads, 0, stream, hopper_split, A, B,
                                split_blocks(A), static_cast<const int*>(counts), ranges, may_f16, header);
}

}  // namespace cairn::hopper
