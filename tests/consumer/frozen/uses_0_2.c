/* What programs of 0.2 do with a problem: pack, parse, print, plan, multiply. Compiled with the header of then. */
#include <stdio.h>
#include <string.h>

#include "cairn_0_2.h"

static int wrong = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s; last error: %s\n", what, cairn_last_error());
  wrong = 1;
}

/* A (2, 3) times the transpose of B, stored (4, 3). */
static const float A[] = {1, 2, 3, 4, 5, 6};
static const float B[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const float product[] = {1, 2, 3, 6, 4, 5, 6, 15};

/* The bytes after a problem belong to the program. */
struct guarded {
  cairn_problem problem;
  unsigned char beyond[64];
};

static void expect_same(const struct guarded* written, const cairn_problem* by_hand, const char* what) {
  size_t i;
  expect(memcmp(&written->problem, by_hand, sizeof *by_hand) == 0, what);
  for (i = 0; i < sizeof written->beyond; ++i) expect(written->beyond[i] == 0xa5, "a byte beyond the problem");
}

static void multiply(cairn_handle handle, const cairn_problem* p) {
  float C[8] = {0};
  cairn_plan plan = NULL;
  const char *id = NULL, *tile = NULL, *why = NULL;
  size_t asked = 1, planned = 2;

  expect(cairn_gemm(handle, p, 1, A, B, 0, C) == CAIRN_OK, "gemm");
  expect(memcmp(C, product, sizeof C) == 0, "the product by gemm");

  memset(C, 0, sizeof C);
  expect(cairn_gemm_f32(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_T, 2, 4, 3, 1, A, 3, B, 3, 0, C, 4) == CAIRN_OK,
         "gemm_f32");
  expect(memcmp(C, product, sizeof C) == 0, "the product by gemm_f32");

  expect(cairn_plan_create(&plan, handle, p) == CAIRN_OK, "plan");
  if (plan == NULL) return;
  expect(cairn_plan_id(plan, &id) == CAIRN_OK && id != NULL && *id != 0, "the plan's id");
  expect(cairn_plan_tile(plan, &tile) == CAIRN_OK && tile != NULL && *tile == 0, "the plan's tile");
  expect(cairn_plan_why(plan, &why) == CAIRN_OK && why != NULL && *why != 0, "the plan's why");
  expect(cairn_workspace_size(handle, p, &asked) == CAIRN_OK, "workspace");
  expect(cairn_plan_workspace(plan, &planned) == CAIRN_OK && planned == asked, "the plan's workspace");
  memset(C, 0, sizeof C);
  expect(cairn_run(handle, plan, 1, A, B, 0, C) == CAIRN_OK, "run");
  expect(memcmp(C, product, sizeof C) == 0, "the product by a plan");
  printf("compiled with %d.%d.%d, run with %s by %s\n", CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH,
         cairn_version(), id);
  cairn_plan_destroy(plan);
}

int main(void) {
  struct guarded packed = {CAIRN_PROBLEM_INIT, {0}}, parsed = {CAIRN_PROBLEM_INIT, {0}};
  cairn_problem p = CAIRN_PROBLEM_INIT, full = CAIRN_PROBLEM_INIT;
  cairn_handle handle = NULL;
  size_t needed = 0;
  char text[64];

  if (cairn_create(&handle, CAIRN_CPU) != CAIRN_OK) {
    fprintf(stderr, "%s\n", cairn_last_error());
    return 1;
  }
  memset(packed.beyond, 0xa5, sizeof packed.beyond);
  memset(parsed.beyond, 0xa5, sizeof parsed.beyond);

  p.in = CAIRN_F32, p.out = CAIRN_F32, p.compute = CAIRN_NATIVE;
  p.order = CAIRN_ROW, p.op_a = CAIRN_OP_N, p.op_b = CAIRN_OP_T;
  p.m = 2, p.n = 4, p.k = 3;
  p.lda = 3, p.ldb = 3, p.ldc = 4;
  p.batch = 1, p.stride_a = 6, p.stride_b = 12, p.stride_c = 8;
  expect(cairn_problem_packed(&packed.problem, CAIRN_F32, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_T, 2, 4, 3) == CAIRN_OK,
         "pack");
  expect_same(&packed, &p, "a packed problem is the one by hand");
  expect(cairn_problem_parse(&parsed.problem, "f32 nt 2x4x3") == CAIRN_OK, "parse");
  expect_same(&parsed, &p, "a parsed problem is the one by hand");
  expect(cairn_problem_print(&p, 0, text, sizeof text, &needed) == CAIRN_OK, "print");
  expect(strcmp(text, "f32 nt 2x4x3") == 0 && needed == strlen(text) + 1, "the printed text");
  multiply(handle, &p);

  /* Every size has a number of its own, so that one in another's place is seen. */
  full.in = CAIRN_F16, full.out = CAIRN_F32, full.compute = CAIRN_NATIVE;
  full.order = CAIRN_COLUMN, full.op_a = CAIRN_OP_T, full.op_b = CAIRN_OP_N;
  full.m = 20, full.n = 30, full.k = 40;
  full.lda = 41, full.ldb = 42, full.ldc = 43;
  full.batch = 5, full.stride_a = 3000, full.stride_b = 4000, full.stride_c = 5000;
  expect(cairn_problem_parse(&parsed.problem,
                             "in=f16 out=f32 compute=native order=column op_a=t op_b=n m=20 n=30 k=40 lda=41 ldb=42 "
                             "ldc=43 batch=5 stride_a=3000 stride_b=4000 stride_c=5000") == CAIRN_OK,
         "parse the full form");
  expect_same(&parsed, &full, "a problem parsed from the full form is the one by hand");

  /* What a rule forbids is still refused with a sentence. */
  p.lda = 2;
  expect(cairn_gemm(handle, &p, 1, A, B, 0, text) == CAIRN_INVALID_ARGUMENT && *cairn_last_error() != 0, "refusal");

  cairn_destroy(handle);
  return wrong;
}
