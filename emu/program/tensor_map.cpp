#include <optional>

#include "emu/shadow/emu_tensor_map.h"

namespace {

using cairn::Type;

// By its size: a copy does not look at what it copies, but that tf32 is rounded.
std::optional<Type> type_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return Type::e4m3;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return Type::f16;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return Type::bf16;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: return Type::f32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return Type::f64;
    default: return {};
  }
}

struct Named {
  CUresult error;
  const char *name, *text;
};
constexpr Named kErrors[] = {{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
                             {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
                             {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"}};

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base,
                                const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  const auto element = type_of(type);
  if (!element || map == nullptr || rank < 1 || rank > 5 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
      fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || swizzle < CU_TENSOR_MAP_SWIZZLE_NONE ||
      swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return CUDA_ERROR_INVALID_VALUE;
  cairn::TensorBox what{.base = base, .type = *element, .tf32 = type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32};
  what.rank = static_cast<int>(rank);
  for (cuuint32_t i = 0; i < rank; ++i) {
    if (steps[i] != 1) return CUDA_ERROR_INVALID_VALUE;
    what.sizes[i] = sizes[i];
    what.box[i] = box[i];
    if (i > 0) what.strides[i] = strides[i - 1];
  }
  what.swizzle = static_cast<cairn::Swizzle>(swizzle);
  return cairn::emu::encode_tensor_map(*map, what).ok() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  for (const Named& one : kErrors)
    if (one.error == error) return *text = one.text, CUDA_SUCCESS;
  return *text = nullptr, CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  for (const Named& one : kErrors)
    if (one.error == error) return *name = one.name, CUDA_SUCCESS;
  return *name = nullptr, CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  const bool known = std::string_view(name) == "cuTensorMapEncodeTiled";
  *function = known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  if (result != nullptr) *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return known ? cudaSuccess : cudaErrorSymbolNotFound;
}
