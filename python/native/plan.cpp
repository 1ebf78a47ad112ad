#include "python/native/plan.hpp"

#include "python/native/failure.hpp"
#include "python/native/handles.hpp"
#include "python/native/problem.hpp"

namespace cairn_python {
namespace {

std::string text_of(cairn_plan plan, cairn_status (*get)(cairn_plan, const char**)) {
  const char* text = nullptr;
  check(get(plan, &text));
  return text;
}

}  // namespace

Plan::Plan(int device, const nb::dict& problem, const std::optional<std::string>& rung) : device_(device) {
  const cairn_problem p = read_problem(problem);
  const nb::gil_scoped_release others_run;
  const cairn_handle handle = handle_of(device);
  check(rung ? cairn_plan_create_named(&plan_, handle, &p, rung->c_str()) : cairn_plan_create(&plan_, handle, &p));
}

Plan::~Plan() { cairn_plan_destroy(plan_); }

void Plan::run(Address stream, double alpha, double beta, Address A, Address B, Address C, Address bias,
               Address before, Address scale_a, Address scale_b) const {
  const cairn_operands data = operands(A, B, C, bias, before, scale_a, scale_b);
  const nb::gil_scoped_release others_run;
  const cairn_handle handle = handle_of(device_);
  check(cairn_set_stream(handle, pointer(stream)));
  check(cairn_run_operands(handle, plan_, alpha, beta, &data));
}

std::string Plan::id() const { return text_of(plan_, &cairn_plan_id); }
std::string Plan::tile() const { return text_of(plan_, &cairn_plan_tile); }
// Under the GIL: the library writes the text when it is first asked for, and keeps it.
std::string Plan::why() const { return text_of(plan_, &cairn_plan_why); }

std::size_t Plan::workspace() const {
  std::size_t bytes = 0;
  check(cairn_plan_workspace(plan_, &bytes));
  return bytes;
}

}  // namespace cairn_python
