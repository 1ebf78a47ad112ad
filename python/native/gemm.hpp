// A product of what lies at given addresses. Python's other arrays and PyTorch's fallback come to this.
#pragma once

#include <cstddef>

#include <nanobind/nanobind.h>

#include "python/native/data.hpp"

namespace cairn_python {

// Asynchronous on a GPU's stream. Without the GIL, so other Python threads run meanwhile. A workspace of 0 bytes is the
// handle's own.
void gemm_pointers(int device, Address stream, const nanobind::dict& problem, double alpha, double beta, Address A,
                   Address B, Address C, Address bias, Address before, Address scale_a, Address scale_b,
                   Address workspace, std::size_t workspace_bytes);

std::size_t workspace_size(int device, const nanobind::dict& problem);

}  // namespace cairn_python
