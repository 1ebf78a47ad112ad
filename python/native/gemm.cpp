#include "python/native/gemm.hpp"

#include "python/native/failure.hpp"
#include "python/native/handles.hpp"
#include "python/native/problem.hpp"

namespace cairn_python {

void gemm_pointers(int device, Address stream, const nb::dict& problem, double alpha, double beta, Address A,
                   Address B, Address C, Address bias, Address before, Address scale_a, Address scale_b,
                   Address workspace, std::size_t workspace_bytes) {
  const cairn_problem p = read_problem(problem);
  const cairn_operands data = operands(A, B, C, bias, before, scale_a, scale_b);
  const nb::gil_scoped_release others_run;
  const cairn_handle handle = handle_of(device);
  check(cairn_set_stream(handle, pointer(stream)));
  check(cairn_set_workspace(handle, pointer(workspace), workspace_bytes));
  const cairn_status status = cairn_gemm_operands(handle, &p, alpha, beta, &data);
  if (workspace == 0) return check(status);
  // The memory is lent for this call alone. What went wrong is read before the next call clears it.
  const Failure failure{status, status == CAIRN_OK ? "" : cairn_last_error()};
  check(cairn_set_workspace(handle, nullptr, 0));
  if (failure.status != CAIRN_OK) throw failure;
}

std::size_t workspace_size(int device, const nb::dict& problem) {
  const cairn_problem p = read_problem(problem);
  std::size_t bytes = 0;
  const nb::gil_scoped_release others_run;
  check(cairn_workspace_size(handle_of(device), &p, &bytes));
  return bytes;
}

}  // namespace cairn_python
