// cairn_problem as a dict of its fields, by the names that they have in cairn.h.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "cairn/cairn.h"

namespace cairn_python {

// What is missing is 0, and batch is 1. Throws Failure for a key that is no field.
cairn_problem read_problem(const nanobind::dict& fields);

// All fields, so that read_problem gives the same problem again.
nanobind::dict parse_problem(const char* text);

// "bf16 nt 64x64x64", or every field as key=value.
std::string print_problem(const nanobind::dict& fields, bool full);

}  // namespace cairn_python
