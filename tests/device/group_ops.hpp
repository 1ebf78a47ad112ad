// wgmma as one of the operations of ops.cu: a warpgroup lays a tile's A and B into shared memory in each of the four
// orders of pieces, along k or along the rows, and multiplies.
#pragma once

#include <type_traits>

#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "tests/device/ops.hpp"

namespace cairn::device_ops {

constexpr int kGroupA = 64 * 128, kGroupB = 256 * 128, kGroupBytes = kGroupA + kGroupB;

template <Type type>
using GroupElement = std::conditional_t<
    type == Type::f16, __half,
    std::conditional_t<type == Type::bf16, __nv_bfloat16, std::conditional_t<type == Type::tf32, Tf32, E4m3>>>;

// An operand of 32 bytes of k. Lines are wider than that for two of the orders: then it is the second or the third
// 32 bytes of its lines.
struct Laid {
  bool along_rows;
  int way, rows;

  __device__ int line() const { return 16 << way; }
  __device__ int first() const { return along_rows || way < 2 ? 0 : (way - 1) * 32; }  // byte of a line
  __device__ int stride() const { return along_rows && way == 0 ? 256 : 8 * line(); }
  __device__ int lead() const {
    if (along_rows) return way == 0 ? 128 : 16 * line();
    return way == 0 ? rows * 16 : 16;
  }
  // Which piece of its line stands in the place of piece p, in line `at` of eight.
  __device__ int exchanged(int p, int at) const {
    return p ^ (way == 3 ? at : way == 2 ? at / 2 % 4 : way == 1 ? at / 4 % 2 : 0);
  }
  __device__ int place(int row, int byte) const {
    if (!along_rows) {
      const int at = first() + byte, eight = row / 8 * stride() + row % 8 * line();
      return way == 0 ? eight + at / 16 * lead() + at % 16 : eight + exchanged(at / 16, row % 8) * 16 + at % 16;
    }
    const int l = byte / 2, in = byte % 2, eight = l % 8 * line(), wide = line() / 2;
    if (way == 0) return row / 8 * stride() + l / 8 * lead() + eight + row % 8 * 2 + in;
    return row / wide * lead() + l / 8 * stride() + eight + exchanged(row % wide / 8, l % 8) * 16 + row % 8 * 2 + in;
  }
  __device__ cairn::MatrixDescriptor lay(unsigned char* shared, const unsigned char* in, int size) const {
    for (int i = static_cast<int>(threadIdx.x); i < size; i += 128) shared[i] = 0xff;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows * 32; i += 128) shared[place(i / 32, i % 32)] = in[i];
    return matrix_descriptor(shared, static_cast<Swizzle>(way), stride(), lead()).at(first());
  }
};

template <int index>
__device__ void group_product(unsigned char* shared, const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  constexpr int n = F::s.n;
  constexpr Major a_major = op.a_along_rows ? Major::mn : Major::k, b_major = op.b_along_rows ? Major::mn : Major::k;
  using In = GroupElement<op.kind.type>;
  const int t = static_cast<int>(threadIdx.x), row = t / 32 * 16 + t % 32 / 4;
  const auto* before = reinterpret_cast<const float*>(in + F::c);
  const auto at = [&](int i) { return (row + i / 2 % 2 * 8) * n + i / 4 * 8 + t % 4 * 2 + i % 2; };
  for (int way = 0; way < kWays; ++way) {
    __syncthreads();
    const cairn::MatrixDescriptor b = Laid{op.b_along_rows, way, n}.lay(shared + kGroupA, in + F::b, kGroupB);
    const cairn::MatrixDescriptor a = Laid{op.a_along_rows, way, 64}.lay(shared, in, kGroupA);
    fence_proxy_async();
    __syncthreads();
    float sums[n / 2];
    for (int i = 0; i < n / 2; ++i) sums[i] = before[at(i)];
    std::uint32_t words[4];  // four bytes of a row of 32 each
    for (int i = 0; i < 4; ++i)
      words[i] = *reinterpret_cast<const std::uint32_t*>(in + (row + i % 2 * 8) * 32 + (t % 4 + i / 2 * 4) * 4);
    wgmma_fence_operand(sums);
    wgmma_fence();
    if constexpr (op.in_registers) {
      wgmma<In, n, b_major>(sums, words, b, true);
    } else {
      wgmma<In, n, a_major, b_major>(sums, a, b, true);
    }
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_fence_operand(sums);
    auto* to = reinterpret_cast<float*>(out) + way * 64 * n;
    for (int i = 0; i < n / 2; ++i) to[at(i)] = sums[i];
  }
}

}  // namespace cairn::device_ops
