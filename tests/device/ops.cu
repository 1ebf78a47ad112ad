#include <algorithm>
#include <string>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/stmatrix.hpp"
#include "device/wmma.hpp"
#include "tests/device/group_ops.hpp"
#include "tests/device/mma_f64_ops.hpp"
#include "tests/device/ops.hpp"

namespace cairn::device_ops {
namespace {

constexpr int kWarps = 4, kMostIn = 4096;

template <Type type>
using Narrow =
    std::conditional_t<type == Type::f16, __half, std::conditional_t<type == Type::bf16, __nv_bfloat16, float>>;
template <Type type> using Element = std::conditional_t<type == Type::tf32, wmma::precision::tf32, Narrow<type>>;
template <Type type> using MmaElement = std::conditional_t<type == Type::tf32, Tf32, Narrow<type>>;
template <bool half> using Sum = std::conditional_t<half, __half, float>;

__device__ int lane_of() { return static_cast<int>(threadIdx.x) % 32; }

// In: 32 rows, then a byte for each lane.
template <int index> __device__ void matrices(const unsigned char* tile, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  const int lane = lane_of();
  std::uint32_t words[op.count];
  const unsigned char* row = tile + 16 * tile[512 + lane];
  if constexpr (op.what == What::matrices) {
    load_matrices(words, row);
  } else {
    load_transposed(words, row);
  }
  for (int i = 0; i < op.count; ++i) reinterpret_cast<std::uint32_t*>(out)[lane * op.count + i] = words[i];
}

// In: a lane's registers, then for the lane which row it names, all rows different. `memory`: 32 rows.
template <int index> __device__ void store(const unsigned char* tile, unsigned char* memory, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  const int lane = lane_of();
  auto* row = reinterpret_cast<uint4*>(memory + 16 * ((lane * (2 * tile[512] + 1) + tile[513]) % 32));
  *row = {~0u, ~0u, ~0u, ~0u};
  std::uint32_t words[op.count];
  for (int i = 0; i < op.count; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(tile)[lane * op.count + i];
  __syncwarp();
  if constexpr (op.what == What::stored) {
    store_matrices(row, words);
  } else {
    store_transposed(row, words);
  }
  __syncwarp();
  reinterpret_cast<uint4*>(out)[lane] = reinterpret_cast<const uint4*>(memory)[lane];
}

template <int index> __device__ void multiply(const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  constexpr int a_words = F::a_words, b_words = a_words / 2;
  const int lane = lane_of();
  std::uint32_t a[a_words], b[b_words];
  float sums[4];
  for (int i = 0; i < a_words; ++i) a[i] = reinterpret_cast<const std::uint32_t*>(in)[lane * a_words + i];
  for (int i = 0; i < b_words; ++i) b[i] = reinterpret_cast<const std::uint32_t*>(in + F::b)[lane * b_words + i];
  for (int i = 0; i < 4; ++i) sums[i] = reinterpret_cast<const float*>(in + F::c)[lane * 4 + i];
  mma<MmaElement<op.kind.type>>(sums, a, b);
  for (int i = 0; i < 4; ++i) reinterpret_cast<float*>(out)[lane * 4 + i] = sums[i];
}

template <int index, class Use, class Layout, class T> __device__ void load_and_show(const T* tile, T*& out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  constexpr bool by_rows = std::is_same_v<Layout, wmma::row_major>, is_a = std::is_same_v<Use, wmma::matrix_a>;
  constexpr Shape s = F::s;
  wmma::fragment<Use, s.m, s.n, s.k, Element<op.kind.type>, Layout> f;
  static_assert(f.num_elements == (is_a ? F::held_a : F::held_b));
  wmma::load_matrix_sync(f, tile, is_a == by_rows ? s.k : is_a ? s.m : s.n);
  for (int i = 0; i < f.num_elements; ++i) out[lane_of() * f.num_elements + i] = f.x[i];
  out += 32 * f.num_elements;
}
template <int index> __device__ void operands(const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  using T = Narrow<F::op.kind.type>;
  T* to = reinterpret_cast<T*>(out);
  const T *a = reinterpret_cast<const T*>(in), *b = reinterpret_cast<const T*>(in + F::b);
  load_and_show<index, wmma::matrix_a, wmma::row_major>(a, to);
  load_and_show<index, wmma::matrix_a, wmma::col_major>(a, to);
  load_and_show<index, wmma::matrix_b, wmma::row_major>(b, to);
  load_and_show<index, wmma::matrix_b, wmma::col_major>(b, to);
}

template <int index> __device__ void sums(const unsigned char* far, const unsigned char* near, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  constexpr Shape s = F::s;
  using T = Sum<op.half_in>;
  constexpr int each = s.m * s.n;
  T* to = reinterpret_cast<T*>(out);
  wmma::fragment<wmma::accumulator, s.m, s.n, s.k, T> by_rows, by_cols;
  wmma::load_matrix_sync(by_rows, reinterpret_cast<const T*>(far), s.n, wmma::mem_row_major);
  wmma::load_matrix_sync(by_cols, reinterpret_cast<const T*>(near), s.m, wmma::mem_col_major);
  for (int i = 0; i < by_rows.num_elements; ++i) {
    to[lane_of() * by_rows.num_elements + i] = by_rows.x[i];
    to[each + lane_of() * by_rows.num_elements + i] = by_cols.x[i];
  }
  wmma::store_matrix_sync(to + 2 * each, by_rows, s.m, wmma::mem_col_major);
  wmma::store_matrix_sync(to + 3 * each, by_cols, s.n, wmma::mem_row_major);
}

template <int index, class LayoutA, class LayoutB>
__device__ void product(const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  constexpr Shape s = F::s;
  using T = Narrow<op.kind.type>;
  wmma::fragment<wmma::matrix_a, s.m, s.n, s.k, Element<op.kind.type>, LayoutA> a;
  wmma::fragment<wmma::matrix_b, s.m, s.n, s.k, Element<op.kind.type>, LayoutB> b;
  wmma::fragment<wmma::accumulator, s.m, s.n, s.k, Sum<op.half_in>> c;
  wmma::fragment<wmma::accumulator, s.m, s.n, s.k, Sum<op.half_out>> d;
  wmma::load_matrix_sync(a, reinterpret_cast<const T*>(in), std::is_same_v<LayoutA, wmma::row_major> ? s.k : s.m);
  wmma::load_matrix_sync(b, reinterpret_cast<const T*>(in + F::b),
                         std::is_same_v<LayoutB, wmma::row_major> ? s.n : s.k);
  wmma::load_matrix_sync(c, reinterpret_cast<const Sum<op.half_in>*>(in + F::c), s.n, wmma::mem_row_major);
  wmma::mma_sync(d, a, b, c);
  wmma::store_matrix_sync(reinterpret_cast<Sum<op.half_out>*>(out), d, s.n, wmma::mem_row_major);
}

// A warp to a tile, and again.
template <int index> __global__ void kernel(int tiles, const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  constexpr Op op = F::op;
  static_assert(F::in <= kMostIn && F::in % 32 == 0);
  alignas(128) __shared__ unsigned char shared[kWarps][kMostIn];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  unsigned char* near = shared[warp];
  for (int tile = static_cast<int>(blockIdx.x) * kWarps + warp; tile < tiles;
       tile += static_cast<int>(gridDim.x) * kWarps) {
    const unsigned char* far = in + std::int64_t{tile} * F::in;
    unsigned char* to = out + std::int64_t{tile} * F::out;
    for (int i = lane_of() * 4; i < F::in; i += 128)
      *reinterpret_cast<unsigned*>(near + i) = *reinterpret_cast<const unsigned*>(far + i);
    __syncwarp();
    if constexpr (op.what == What::matrices || op.what == What::transposed) matrices<index>(near, to);
    if constexpr (op.what == What::stored || op.what == What::stored_transposed)
      store<index>(near, near + kMostIn / 2, to);
    if constexpr (op.what == What::mma) multiply<index>(far, to);
    if constexpr (op.what == What::operands) {
      operands<index>(far, to);
      operands<index>(near, to + F::out / 2);
    }
    if constexpr (op.what == What::sums) sums<index>(far, near, to);
    if constexpr (op.what == What::wmma) {
      constexpr int each = F::out / kWays;
      product<index, wmma::row_major, wmma::row_major>(near, to);
      product<index, wmma::col_major, wmma::row_major>(far, to + each);
      product<index, wmma::row_major, wmma::col_major>(near, to + 2 * each);
      product<index, wmma::col_major, wmma::col_major>(far, to + 3 * each);
    }
    __syncwarp();
  }
}

// A warpgroup to a tile, and again.
template <int index> __global__ void group_kernel(int tiles, const unsigned char* in, unsigned char* out) {
  using F = Facts<index>;
  alignas(1024) __shared__ unsigned char shared[kGroupBytes];
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x))
    group_product<index>(shared, in + std::int64_t{tile} * F::in, out + std::int64_t{tile} * F::out);
}

using Kernel = void (*)(int, const unsigned char*, unsigned char*);
template <int index = 0> Kernel kernel_of(int op) {
  if constexpr (index < kOps) {
    if constexpr (Facts<index>::op.what == What::wgmma) {
      return op == index ? &group_kernel<index> : kernel_of<index + 1>(op);
    } else {
      return op == index ? &kernel<index> : kernel_of<index + 1>(op);
    }
  }
  return nullptr;
}

bool present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

bool hopper() {
  int major = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && major == 9;
}

// Copies the input to the device, calls start(from, to), and copies the output back. Null, or what went wrong.
template <class Start>
const char* run_on(std::size_t ins, std::size_t outs, const void* in, void* out, Start&& start) {
  static std::string wrong;
  unsigned char *from = nullptr, *to = nullptr;
  wrong = "cudaMalloc failed";
  if (cudaMalloc(reinterpret_cast<void**>(&from), ins) == cudaSuccess &&
      cudaMalloc(reinterpret_cast<void**>(&to), outs) == cudaSuccess) {
    (void)cudaMemcpy(from, in, ins, cudaMemcpyHostToDevice);
    const Status status = start(from, to);
    wrong = status.ok() ? "" : status.message();
    if (const cudaError_t error = cudaMemcpy(out, to, outs, cudaMemcpyDeviceToHost);
        error != cudaSuccess && status.ok())
      wrong = cudaGetErrorString(error);
  }
  (void)cudaFree(from);
  (void)cudaFree(to);
  return wrong.empty() ? nullptr : wrong.c_str();
}

const char* run(int index, int tiles, const void* in, void* out) {
  const Op& op = ops[index];
  const auto count = static_cast<std::size_t>(tiles);
  return run_on(count * in_bytes(op), count * out_bytes(op), in, out, [&](unsigned char* from, unsigned char* to) {
    const int blocks = op.what == What::wgmma ? tiles : (tiles + kWarps - 1) / kWarps;
    return launch({std::min(1024, blocks)}, kWarps * 32, 0, nullptr, kernel_of(index), tiles, from, to);
  });
}

const char* run_f64(int which, int tiles, const double* in, double* out) {
  const auto [m, n, k] = kKindsF64[which].shape;
  const auto outs = static_cast<std::size_t>(m * n * tiles) * sizeof(double),
             ins = outs + static_cast<std::size_t>((m + n) * k * tiles) * sizeof(double);
  return run_on(ins, outs, in, out, [&](unsigned char* from, unsigned char* to) {
    return launch({std::min(1024, (tiles + kWarps - 1) / kWarps)}, kWarps * 32, 0, nullptr, kernel_f64_of(which),
                  tiles, reinterpret_cast<const double*>(from), reinterpret_cast<double*>(to));
  });
}

const Entry kEntry = {&present, &hopper, &run, &run_f64};

}  // namespace
}  // namespace cairn::device_ops

#ifdef CAIRN_EMULATED
const cairn::device_ops::Entry* cairn_device_ops_emulated(void) { return &cairn::device_ops::kEntry; }
#else
__attribute__((visibility("default"))) const cairn::device_ops::Entry* cairn_device_ops_gpu(void) {
  return &cairn::device_ops::kEntry;
}
#endif
