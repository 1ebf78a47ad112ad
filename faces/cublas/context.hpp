// What a cublasHandle_t points to, and how answers of the C API become cuBLAS's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "cairn/cairn.h"
#include "emu/shadow/cublas_v2.h"

struct cublasContext {
  cairn_handle cpu = nullptr;
  std::mutex in_use;  // a handle of cuBLAS may be used by several threads, one of Cairn's by one at a time
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace cairn::cublas {

inline bool is_operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

// Whether a matrix of this many rows, in column order, may have this leading dimension.
inline bool is_leading(std::int64_t ld, std::int64_t rows) { return ld >= (rows > 1 ? rows : 1); }

cublasStatus_t status_of(cairn_status status);

// Tells the emulator that these bytes of device memory were written, so that a kernel that is traced may read them.
void written(const void* start, std::size_t bytes);
// The same for `lines` of them, each `step` bytes after the one before.
void written(const void* start, std::size_t bytes, std::int64_t lines, std::int64_t step);

}  // namespace cairn::cublas
