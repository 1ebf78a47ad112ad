// cairn._native: the C API for the Python files beside it, which turn arrays into problems and addresses.
// python/cairn/_native.pyi says the same to type checkers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cairn/cairn.h"
#include "python/native/dlpack_view.hpp"
#include "python/native/failure.hpp"
#include "python/native/gemm.hpp"
#include "python/native/handles.hpp"
#include "python/native/plan.hpp"
#include "python/native/problem.hpp"

namespace cairn_python {
namespace {

using nb::literals::operator""_a;

std::vector<std::string> rungs() {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < cairn_rung_count(); ++i) ids.emplace_back(cairn_rung_id(i));
  return ids;
}

void open(int device) {
  const nb::gil_scoped_release others_run;  // a GPU takes a second
  handle_of(device);
}

}  // namespace

NB_MODULE(_native, module) {
  translate_failures();
  module.def("version", [] { return cairn_version(); });
  module.def("open", &open, "device"_a);
  module.def("rungs", &rungs);
  module.def("parse_problem", &parse_problem, "text"_a);
  module.def("print_problem", &print_problem, "problem"_a, "full"_a = false);
  module.def("workspace_size", &workspace_size, "device"_a, "problem"_a);
  module.def("gemm_pointers", &gemm_pointers, "device"_a, "stream"_a, "problem"_a, "alpha"_a, "beta"_a, "A"_a, "B"_a,
             "C"_a, "bias"_a = 0, "before"_a = 0, "scale_a"_a = 0, "scale_b"_a = 0, "workspace"_a = 0,
             "workspace_bytes"_a = 0);

  nb::class_<Plan>(module, "Plan")
      .def(nb::init<int, const nb::dict&, const std::optional<std::string>&>(), "device"_a, "problem"_a,
           "rung"_a = nb::none())
      .def("run", &Plan::run, "stream"_a, "alpha"_a, "beta"_a, "A"_a, "B"_a, "C"_a, "bias"_a = 0, "before"_a = 0,
           "scale_a"_a = 0, "scale_b"_a = 0)
      .def_prop_ro("id", &Plan::id)
      .def_prop_ro("tile", &Plan::tile)
      .def_prop_ro("why", &Plan::why)
      .def_prop_ro("workspace", &Plan::workspace);

  nb::class_<DlpackView>(module, "DlpackView")
      .def(nb::init<nb::ndarray<nb::ro>>(), "capsule"_a)
      .def_prop_ro("address", &DlpackView::address)
      .def_prop_ro("shape", &DlpackView::shape)
      .def_prop_ro("strides", &DlpackView::strides)
      .def_prop_ro("type", &DlpackView::type)
      .def_prop_ro("device", &DlpackView::device);
}

}  // namespace cairn_python
