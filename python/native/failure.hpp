// What is thrown in the module, and how it becomes cairn.Error.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "cairn/cairn.h"

namespace cairn_python {

namespace nb = nanobind;

struct Failure {
  cairn_status status;
  std::string message;
};

// Throws the library's own sentence for anything but CAIRN_OK.
void check(cairn_status status);

// From here on a Failure that leaves the module is a cairn.Error in Python.
void translate_failures();

}  // namespace cairn_python
