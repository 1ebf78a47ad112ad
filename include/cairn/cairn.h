/* The C API of Cairn; cairn.hpp is the same in C++.
 *
 * Every call returns a cairn_status; for anything but CAIRN_OK, cairn_last_error() has a message that names
 * the argument and the rule it broke. A call that is refused writes nothing. Separate handles may be used from
 * separate threads at once; one handle by one thread at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cairn/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_status {
  CAIRN_OK = 0,
  CAIRN_INVALID_ARGUMENT = 1,
  CAIRN_UNSUPPORTED = 2,
  CAIRN_OUT_OF_MEMORY = 3,
  CAIRN_WORKSPACE_TOO_SMALL = 4,
  CAIRN_DEVICE_ERROR = 5,
  CAIRN_INTERNAL_ERROR = 6
} cairn_status;

typedef enum cairn_type { CAIRN_F64 = 0, CAIRN_F32 = 1, CAIRN_F16 = 2, CAIRN_BF16 = 3, CAIRN_E4M3 = 4 } cairn_type;

/* CAIRN_OP_C means CAIRN_OP_T: all types are real. */
typedef enum cairn_op { CAIRN_OP_N = 0, CAIRN_OP_T = 1, CAIRN_OP_C = 2 } cairn_op;
typedef enum cairn_order { CAIRN_ROW = 0, CAIRN_COLUMN = 1 } cairn_order;
typedef enum cairn_compute { CAIRN_NATIVE = 0, CAIRN_TF32 = 1, CAIRN_SPLIT = 2, CAIRN_FAST = 3 } cairn_compute;

/* What the bits of C must not depend on: the rows of C on m and on the rest of the batch, or its columns on n and on the
 * rest of the batch (cairn::Invariant in types.hpp). */
typedef enum cairn_invariant {
  CAIRN_INVARIANT_NONE = 0,
  CAIRN_INVARIANT_ROWS = 1,
  CAIRN_INVARIANT_COLUMNS = 2
} cairn_invariant;

/* A vector that is added to C: an element for each row of it, or for each column. */
typedef enum cairn_bias { CAIRN_BIAS_NONE = 0, CAIRN_BIAS_ROWS = 1, CAIRN_BIAS_COLUMNS = 2 } cairn_bias;

/* The function that a result passes through before it is stored (cairn::Activation in types.hpp). */
typedef enum cairn_activation {
  CAIRN_ACTIVATION_NONE = 0,
  CAIRN_RELU = 1,
  CAIRN_GELU = 2,
  CAIRN_GELU_TANH = 3,
  CAIRN_SILU = 4
} cairn_activation;

/* What products are multiplied by besides alpha (cairn::Scale in types.hpp). */
typedef enum cairn_scale {
  CAIRN_SCALE_NONE = 0,
  CAIRN_SCALE_TENSOR = 1,
  CAIRN_SCALE_VECTOR = 2,
  CAIRN_SCALE_VECTOR_BLOCKS = 3,
  CAIRN_SCALE_BLOCKS = 4
} cairn_scale;

/* Whether the value before the activation is stored as well. */
typedef enum cairn_before { CAIRN_BEFORE_NONE = 0, CAIRN_BEFORE_STORED = 1 } cairn_before;

/* Devices: 0, 1, 2 ... are the GPUs as CUDA counts them. */
enum { CAIRN_CPU = -1, CAIRN_EMU = -2 };

/* C = activation(alpha * op(A) * op(B) + beta * C + bias) without its data: op(A) is m x k, op(B) is k x n, C is m x n. Leading
 * dimensions and strides count elements. in, out, compute, order, op_a, op_b, invariant, bias, bias_type,
 * activation and before hold values of the enums above. bias_type is read if there is a bias: CAIRN_F32 (CAIRN_F64 for
 * inputs of f64) or the type of C.
 *
 * Begin every problem with CAIRN_PROBLEM_INIT:
 *
 *   cairn_problem p = CAIRN_PROBLEM_INIT;
 *
 * It sets size and makes all other fields 0, including batch: set batch to 1 for one product, because batch 0 is an
 * empty batch, which is legal and does nothing.
 *
 * size lets the struct grow without breaking programs that are already compiled. Until the next major version
 * (before 1.0: the next minor one), fields are only ever appended, never removed or moved, and 0 in a new field means
 * what the library did before it had that field. So a program compiled with an older cairn.h works as it did; one
 * compiled with a newer cairn.h works as long as the fields that this library does not know are 0, and is refused
 * with CAIRN_UNSUPPORTED otherwise. */
typedef struct cairn_problem {
  size_t size; /* sizeof(cairn_problem), as the caller was compiled */
  int32_t in;
  int32_t out;
  int32_t compute;
  int32_t order;
  int32_t op_a;
  int32_t op_b;
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t batch;
  int64_t stride_a, stride_b, stride_c;
  int32_t invariant;
  int32_t bias;
  int32_t bias_type;
  int32_t activation;
  int32_t before;
  int32_t reserved;    /* must be 0 */
  int64_t stride_bias; /* elements from the bias of a product to the next one's; 0 shares one */
  int32_t scale_a;
  int32_t scale_b;
  int64_t stride_scale_a; /* elements from the scales of a product to the next one's; 0 shares them */
  int64_t stride_scale_b;
  int64_t groups; /* of rows of A and C, each with a B of its own, stride_b apart; 0: none */
} cairn_problem;

/* One 0 for each field after size, spelled out so that no compiler warns of a missing one. */
#define CAIRN_PROBLEM_INIT \
  { sizeof(cairn_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* The data of a product with an epilogue; what the problem does not ask for stays NULL. size lets the struct grow, as
 * that of cairn_problem does. */
typedef struct cairn_operands {
  size_t size; /* sizeof(cairn_operands), as the caller was compiled */
  const void* A;
  const void* B;
  void* C;
  const void* bias;    /* m or n elements of the problem's bias_type */
  void* before;        /* laid out as C; written and not read */
  const void* scale_a; /* float (double for inputs of f64), on the device */
  const void* scale_b;
  const int32_t* ends; /* of the groups, on the device: one past the last row of each, none below the one before */
} cairn_operands;

#define CAIRN_OPERANDS_INIT \
  { sizeof(cairn_operands), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/* Storage of the narrow types. */
typedef uint16_t cairn_f16;
typedef uint16_t cairn_bf16;
typedef uint8_t cairn_e4m3;

typedef struct cairn_handle_t* cairn_handle;
typedef struct cairn_plan_t* cairn_plan;

const char* cairn_version(void);
const char* cairn_status_name(cairn_status status);
/* The message of this thread's last failed call; "" if none failed. Valid until this thread's next call. */
const char* cairn_last_error(void);

/* These two fill *problem, whose size must have been set (CAIRN_PROBLEM_INIT); no byte beyond that size is written.
 * The first describes a packed, native product of one type, batch 1. */
cairn_status cairn_problem_packed(cairn_problem* problem, cairn_type type, cairn_order order, cairn_op op_a,
                                  cairn_op op_b, int64_t m, int64_t n, int64_t k);
/* Reads "bf16 nt 4096x4096x4096" and the full key=value form; batch is 1 unless the text says otherwise. */
cairn_status cairn_problem_parse(cairn_problem* problem, const char* text);
/* Writes at most `size` bytes, the final 0 included, and to *needed (if not NULL) how many the whole text
 * takes. `full` chooses between the short and the full form. A buffer too small is an error. */
cairn_status cairn_problem_print(const cairn_problem* problem, int full, char* text, size_t size, size_t* needed);

cairn_status cairn_create(cairn_handle* handle, int device);
/* NULL is allowed. What was destroyed already, or was never made, is refused here and by every other call, as long as
 * no later handle (for a plan: no later plan) has got its address. Destroying leaves the last error message as it is
 * unless it fails itself. No other thread may be using the handle. */
cairn_status cairn_destroy(cairn_handle handle);
cairn_status cairn_get_device(cairn_handle handle, int* device);
cairn_status cairn_set_stream(cairn_handle handle, void* stream);
cairn_status cairn_get_stream(cairn_handle handle, void** stream);
/* Scratch memory on the device, aligned to 256 bytes, never freed here; (NULL, 0) returns to the handle's own. */
cairn_status cairn_set_workspace(cairn_handle handle, void* workspace, size_t bytes);
cairn_status cairn_workspace_size(cairn_handle handle, const cairn_problem* problem, size_t* bytes);
/* How f32 products that ask for nothing else (in and out f32, compute CAIRN_NATIVE) are computed from now on: CAIRN_NATIVE,
 * in IEEE f32, or CAIRN_SPLIT, on GPUs and the emulator (cairn::Handle::set_f32). A handle begins with what the environment
 * variable CAIRN_F32 says when it is created, native or split, and with CAIRN_NATIVE where it is not set. */
cairn_status cairn_set_f32(cairn_handle handle, cairn_compute f32);
cairn_status cairn_get_f32(cairn_handle handle, cairn_compute* f32);

/* C must not share memory with A or B (which may share theirs): it is refused. Interleaving rows or columns of one
 * larger matrix are taken. Where alpha or k is 0, A and B are not read and may be anything. */
cairn_status cairn_gemm(cairn_handle handle, const cairn_problem* problem, double alpha, const void* A, const void* B,
                        double beta, void* C);
/* The same with an epilogue. What is written, C and `before`, shares no memory with anything else. */
cairn_status cairn_gemm_operands(cairn_handle handle, const cairn_problem* problem, double alpha, double beta,
                                 const cairn_operands* operands);

cairn_status cairn_plan_create(cairn_plan* plan, cairn_handle handle, const cairn_problem* problem);
/* The same with the kernel named instead of chosen: a rung of the ladder, "simt/13", or "simt/22@2" with a tile. Refused if
 * it does not take the problem, and on the CPU, which has no rungs. */
cairn_status cairn_plan_create_named(cairn_plan* plan, cairn_handle handle, const cairn_problem* problem,
                                     const char* rung);
/* The rungs that multiply, from the bottom of the ladder. The id of one past the last is NULL. */
size_t cairn_rung_count(void);
const char* cairn_rung_id(size_t index);
cairn_status cairn_plan_destroy(cairn_plan plan); /* as cairn_destroy */
/* The texts live as long as the plan. */
cairn_status cairn_plan_id(cairn_plan plan, const char** id);
cairn_status cairn_plan_tile(cairn_plan plan, const char** tile); /* "" on the CPU */
cairn_status cairn_plan_why(cairn_plan plan, const char** why);
cairn_status cairn_plan_workspace(cairn_plan plan, size_t* bytes);
cairn_status cairn_run(cairn_handle handle, cairn_plan plan, double alpha, const void* A, const void* B, double beta,
                       void* C);
cairn_status cairn_run_operands(cairn_handle handle, cairn_plan plan, double alpha, double beta,
                                const cairn_operands* operands);

/* The typed calls: one product, A, B and C of one type. */
cairn_status cairn_gemm_f64(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, double alpha, const double* A, int64_t lda, const double* B,
                            int64_t ldb, double beta, double* C, int64_t ldc);
cairn_status cairn_gemm_f32(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, float alpha, const float* A, int64_t lda, const float* B,
                            int64_t ldb, float beta, float* C, int64_t ldc);
cairn_status cairn_gemm_f16(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, float alpha, const cairn_f16* A, int64_t lda, const cairn_f16* B,
                            int64_t ldb, float beta, cairn_f16* C, int64_t ldc);
cairn_status cairn_gemm_bf16(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                             int64_t n, int64_t k, float alpha, const cairn_bf16* A, int64_t lda, const cairn_bf16* B,
                             int64_t ldb, float beta, cairn_bf16* C, int64_t ldc);
cairn_status cairn_gemm_e4m3(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                             int64_t n, int64_t k, float alpha, const cairn_e4m3* A, int64_t lda, const cairn_e4m3* B,
                             int64_t ldb, float beta, cairn_e4m3* C, int64_t ldc);

#ifdef __cplusplus
}
#endif
