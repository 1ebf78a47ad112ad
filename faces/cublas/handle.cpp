// Handles and their settings. Every call has done its work when it returns, whatever the stream.
#include <cstdint>
#include <new>

#include "faces/cublas/context.hpp"

// Defined by a traced build of the emulator. Elsewhere nobody asks which memory has been written.
extern "C" __attribute__((weak)) void cairn_device_written(const void* start, std::size_t bytes);

namespace cairn::cublas {

cublasStatus_t status_of(cairn_status status) {
  switch (status) {
    case CAIRN_OK: return CUBLAS_STATUS_SUCCESS;
    case CAIRN_INVALID_ARGUMENT: return CUBLAS_STATUS_INVALID_VALUE;
    case CAIRN_UNSUPPORTED: return CUBLAS_STATUS_NOT_SUPPORTED;
    case CAIRN_OUT_OF_MEMORY:
    case CAIRN_WORKSPACE_TOO_SMALL: return CUBLAS_STATUS_ALLOC_FAILED;
    case CAIRN_DEVICE_ERROR: return CUBLAS_STATUS_EXECUTION_FAILED;
    case CAIRN_INTERNAL_ERROR: break;
  }
  return CUBLAS_STATUS_INTERNAL_ERROR;
}

void written(const void* start, std::size_t bytes) {
  if (cairn_device_written != nullptr && bytes > 0) cairn_device_written(start, bytes);
}

void written(const void* start, std::size_t bytes, std::int64_t lines, std::int64_t step) {
  if (cairn_device_written == nullptr || lines <= 0) return;
  if (step == static_cast<std::int64_t>(bytes)) return written(start, bytes * static_cast<std::size_t>(lines));
  for (std::int64_t line = 0; line < lines; ++line)
    written(static_cast<const std::byte*>(start) + line * step, bytes);
}

namespace {

template <class T> cublasStatus_t set(cublasHandle_t handle, T cublasContext::*field, T value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*field = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t get(cublasHandle_t handle, T cublasContext::*field, T* value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = handle->*field;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = nullptr;
  auto* made = new (std::nothrow) cublasContext;
  if (made == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  if (const cairn_status status = cairn_create(&made->cpu, CAIRN_CPU); status != CAIRN_OK) {
    delete made;
    return status_of(status);
  }
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = status_of(cairn_destroy(handle->cpu));
  delete handle;
  return status;
}

// Answered without a handle too, as by cuBLAS.
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; break;
    case MINOR_VERSION: *value = CUBLAS_VER_MINOR; break;
    case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; break;
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// In the form of cudaRuntimeGetVersion, 1000 * major + 10 * minor.
std::size_t cublasGetCudartVersion() { return CUBLAS_VER_MAJOR * 1000 + CUBLAS_VER_MINOR * 10; }

// The workspace is checked and not used: cuBLAS does with less where it is small, and Cairn would refuse the product.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (workspace == nullptr && bytes > 0) return CUBLAS_STATUS_INVALID_VALUE;
  return reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
// alpha, beta and results are read and written by their addresses, host or device: the two modes do the same.
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
    return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_INVALID_VALUE;
  return set(handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::math, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math, mode);
}
