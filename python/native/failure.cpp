#include "python/native/failure.hpp"

#include <exception>

#include <nanobind/stl/string.h>

namespace cairn_python {

void check(cairn_status status) {
  if (status != CAIRN_OK) throw Failure{status, cairn_last_error()};
}

void translate_failures() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      // The class is written in Python, where users read and document it.
      const nb::object type = nb::module_::import_("cairn._error").attr("Error");
      const nb::object error = type(failure.message, cairn_status_name(failure.status));
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

}  // namespace cairn_python
