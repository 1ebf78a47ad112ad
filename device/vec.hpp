// Accesses of 16 bytes: one instruction if address and leading dimension are aligned, else one per element.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace cairn {

// Whether every row of a matrix is 16-byte aligned.
template <class T> bool rows_of_16_bytes(const T* matrix, std::int64_t ld) {
  return reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0 && ld % static_cast<std::int64_t>(16 / sizeof(T)) == 0;
}

// Loads four consecutive words. `vector`: in one access; `from` is then 16-byte aligned.
template <bool vector = true> __device__ __forceinline__ float4 load4(const float* from) {
  if constexpr (vector) return *reinterpret_cast<const float4*>(from);
  return make_float4(from[0], from[1], from[2], from[3]);
}

// The same at an edge: the first `left` words, and zeros instead of the others. `left` may be negative.
template <bool vector> __device__ __forceinline__ float4 load4_edge(const float* from, int left) {
  if (left >= 4) return load4<vector>(from);
  return make_float4(left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, 0);
}

// Loads four consecutive words into registers, in one access.
__device__ __forceinline__ void load4(float* registers, const float* from) {
  const float4 v = load4(from);
  registers[0] = v.x;
  registers[1] = v.y;
  registers[2] = v.z;
  registers[3] = v.w;
}

// Stores four words in one access; `to` is 16-byte aligned.
__device__ __forceinline__ void store4(float* to, float4 v) { *reinterpret_cast<float4*>(to) = v; }

// The same at an edge: the first `left` words, in one access if that is all four and `vector` is set.
template <bool vector> __device__ __forceinline__ void store4_edge(float* to, float4 v, int left) {
  if (vector && left >= 4) return store4(to, v);
  if (left > 0) to[0] = v.x;
  if (left > 1) to[1] = v.y;
  if (left > 2) to[2] = v.z;
  if (left > 3) to[3] = v.w;
}

// Loads and stores of 16 bytes in one access: four floats or two doubles.
__device__ __forceinline__ void load16(float* registers, const float* from) { load4(registers, from); }
__device__ __forceinline__ void load16(double* registers, const double* from) {
  const double2 v = *reinterpret_cast<const double2*>(from);
  registers[0] = v.x;
  registers[1] = v.y;
}
__device__ __forceinline__ void store16(float* to, const float* v) {
  store4(to, make_float4(v[0], v[1], v[2], v[3]));
}
__device__ __forceinline__ void store16(double* to, const double* v) {
  *reinterpret_cast<double2*>(to) = make_double2(v[0], v[1]);
}

}  // namespace cairn
