// Shared memory, static and dynamic, and the vectors that move through it.
#include <cstdint>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

template <class T, int side> __global__ void transpose(const T* in, T* out) {
  __shared__ T tile[side][side + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int block = static_cast<int>(blockIdx.x) * side * side;
  tile[y][x] = in[block + y * side + x];
  __syncthreads();
  out[block + y * side + x] = tile[x][y];
}
template <class T, int side> void check_transpose() {
  constexpr int blocks = 9;
  std::vector<T> values(blocks * side * side);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  const Array<T> in(values), out(values.size());
  run({blocks}, {side, side}, 0, transpose<T, side>, in.data(), out.data());
  const std::vector<T> got = out.host();
  for (int b = 0; b < blocks; ++b)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) ASSERT_EQ(got[(b * side + y) * side + x], values[(b * side + x) * side + y]);
}
TEST(Shared, EachInstanceOfATemplateHasItsOwn) {
  check_transpose<float, 32>();
  check_transpose<float, 8>();
  check_transpose<double, 16>();
  check_transpose<int, 32>();
}

// Dynamic: one piece of memory, by whatever name, and static arrays beside it.
__global__ void reverse(int* data) {
  extern __shared__ int scratch[];
  __shared__ int offset;
  if (threadIdx.x == 0) offset = 100;
  scratch[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x] + offset;
}
extern __shared__ unsigned char outside[];
__device__ int sum_bytes(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += outside[i];
  return sum;
}
__global__ void bytes(int* out) {
  outside[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = sum_bytes(static_cast<int>(blockDim.x));
}
TEST(Shared, DynamicMemoryByAnyName) {
  std::vector<int> values(5 * 128);
  for (int i = 0; i < 640; ++i) values[i] = i;
  const Array<int> data(values);
  run({5}, 128, 128 * sizeof(int), reverse, data.data());
  const std::vector<int> got = data.host();
  for (int i = 0; i < 640; ++i) EXPECT_EQ(got[i], i / 128 * 128 + 127 - i % 128 + 100);

  const Array<int> out(64);
  run({1}, 64, 64, bytes, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(64, 63 * 64 / 2));
}

__global__ void addresses(unsigned* out) {
  extern __shared__ float4 wide[];
  out[threadIdx.x] = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(wide) % 16);
}
TEST(Shared, DynamicMemoryIsAligned) {
  const Array<unsigned> out(1);
  run({1}, 1, 64, addresses, out.data());
  EXPECT_EQ(out.host()[0], 0u);
}

static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float2) == 8 && alignof(float2) == 8);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(int4) == 16 && alignof(uint4) == 16);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16 && sizeof(uchar4) == 4 && alignof(uchar4) == 4);
static_assert(sizeof(dim3) == 12 && sizeof(short2) == 4 && alignof(longlong2) == 16);

// Vectors: through registers, shared memory, arrays and __ldg, and reinterpreted from scalars.
__global__ void vectors(const float* in, float* out) {
  __shared__ float4 tile[32];
  const int i = static_cast<int>(threadIdx.x);
  tile[i] = reinterpret_cast<const float4*>(in)[i];
  __syncthreads();
  float4 v = tile[31 - i];
  const float4 copy = v;
  v.x += 1;
  float4 list[2] = {copy, make_float4(0, 0, 0, 0)};
  list[1] = __ldg(&reinterpret_cast<const float4*>(in)[i]);
  const float2 low = {v.x, list[1].w};
  reinterpret_cast<float4*>(out)[i] = make_float4(low.x, low.y, list[0].z, copy.w);
}
TEST(Shared, VectorsCopyWhole) {
  std::vector<float> values(128);
  for (int i = 0; i < 128; ++i) values[i] = static_cast<float>(i);
  const Array<float> in(values), out(128);
  run({1}, 32, 0, vectors, in.data(), out.data());
  const std::vector<float> got = out.host();
  for (int i = 0; i < 32; ++i) {
    const float* other = &values[4 * (31 - i)];
    EXPECT_EQ(got[4 * i + 0], other[0] + 1);
    EXPECT_EQ(got[4 * i + 1], values[4 * i + 3]);
    EXPECT_EQ(got[4 * i + 2], other[2]);
    EXPECT_EQ(got[4 * i + 3], other[3]);
  }
}

__global__ void hints(const int* in, int* out) {
  const unsigned i = threadIdx.x;
  __stcs(&out[i], __ldg(&in[i]) + __ldcg(&in[i]) + __ldcs(&in[i]) + __ldca(&in[i]) + __ldcv(&in[i]));
}
TEST(Shared, CacheHintsDoNotChangeValues) {
  const Array<int> in(std::vector<int>(32, 8)), out(32);
  run({1}, 32, 0, hints, in.data(), out.data());
  EXPECT_EQ(out.host(), std::vector<int>(32, 40));
}

}  // namespace
}  // namespace cairn::emu_test
