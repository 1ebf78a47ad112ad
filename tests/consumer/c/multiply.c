/* A 2x3 matrix times a 3x2 one, through an installed Cairn, from C. */
#include <stdio.h>

#include <cairn/cairn.h>

int main(void) {
  const float A[] = {1, 2, 3, 4, 5, 6};    /* (2, 3) */
  const float B[] = {7, 8, 9, 10, 11, 12}; /* (3, 2) */
  const float expected[] = {58, 64, 139, 154};
  float C[] = {0, 0, 0, 0}; /* (2, 2) */
  cairn_problem problem = CAIRN_PROBLEM_INIT;
  cairn_handle handle = NULL;
  cairn_status status;
  int i, wrong = 0;

  status = cairn_create(&handle, CAIRN_CPU);
  if (status == CAIRN_OK)
    status = cairn_gemm_f32(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 2, 2, 3, 1.0f, A, 3, B, 2, 0.0f, C, 2);
  if (status != CAIRN_OK) {
    fprintf(stderr, "%s: %s\n", cairn_status_name(status), cairn_last_error());
    cairn_destroy(handle);
    return 1;
  }
  printf("cairn %s: %g %g / %g %g\n", cairn_version(), C[0], C[1], C[2], C[3]);
  for (i = 0; i < 4; ++i) wrong += C[i] != expected[i];

  /* The same product as a problem, which also takes mixed types, other kinds of arithmetic and batches. */
  status = cairn_problem_parse(&problem, "f32 nn 2x2x3");
  if (status == CAIRN_OK) status = cairn_gemm(handle, &problem, 2.0, A, B, -1.0, C);
  for (i = 0; i < 4; ++i) wrong += C[i] != expected[i];
  wrong += status != CAIRN_OK;

  /* A refused call says why and writes nothing. */
  status = cairn_gemm_f32(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 2, 2, 3, 1.0f, A, 2, B, 2, 0.0f, C, 2);
  printf("refused: %s\n", cairn_last_error());
  wrong += status != CAIRN_INVALID_ARGUMENT || C[0] != expected[0];

  cairn_destroy(handle);
  return wrong != 0;
}
