// Tensor maps: the host's description of a matrix and of the boxes that TMA (device/tma.hpp) copies from it or to it.
// A kernel takes one as `const __grid_constant__ TensorMap`.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

#include "cairn/types.hpp"

namespace cairn {

using TensorMap = CUtensorMap;

// The order of the 16-byte chunks of a box's rows in shared memory, which avoids bank conflicts along rows and along
// columns of chunks. With b128, chunk c of row r is stored as chunk c ^ r % 8 of its 128 bytes; with b64 as
// c ^ r / 2 % 4 of its 64, with b32 as c ^ r / 4 % 2 of its 32. A row of the box has at most that many bytes, and the
// box begins at a multiple of eight times as many.
enum class Swizzle : std::uint8_t { none, b32, b64, b128 };

// A matrix and its boxes. The contiguous dimension comes first.
struct TensorBox {
  const void* base;  // a multiple of 16
  Type type;
  bool tf32 = false;                          // f32, which loads round to tf32
  int rank = 2;                               // 1 to 5
  std::array<std::uint64_t, 5> sizes = {};    // of the matrix, elements; loads fill with zeros outside
  std::array<std::uint64_t, 5> strides = {};  // bytes, multiples of 16; the first is ignored
  std::array<std::uint32_t, 5> box = {};      // 1 to 256 elements each; the first a multiple of 16 bytes
  Swizzle swizzle = Swizzle::none;
};

namespace detail {
inline CUtensorMapDataType map_type(const TensorBox& what) {
  switch (what.type) {
    case Type::f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case Type::f32: return what.tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case Type::f16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Type::bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Type::e4m3: break;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}
}  // namespace detail

// The driver's function is looked up through the runtime, so that the driver need not be linked.
inline Status make_tensor_map(TensorMap& out, const TensorBox& what) {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    constexpr unsigned since = 12000;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, since, cudaEnableDefault, &result);
    if (error != cudaSuccess || result != cudaDriverEntryPointSuccess) found = nullptr;
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  if (encode == nullptr) return {Code::unsupported, "the driver has no tensor maps"};
  constexpr std::array<cuuint32_t, 5> steps = {1, 1, 1, 1, 1};
  constexpr std::array swizzles = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                   CU_TENSOR_MAP_SWIZZLE_128B};
  const CUresult result =
      encode(&out, detail::map_type(what), static_cast<cuuint32_t>(what.rank), const_cast<void*>(what.base),
             what.sizes.data(), what.strides.data() + 1, what.box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
             swizzles[static_cast<std::size_t>(what.swizzle)], CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return {};
  return {Code::invalid_argument, "the driver refused a tensor map, error " + std::to_string(result)};
}

}  // namespace cairn
