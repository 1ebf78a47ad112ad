// A Problem together with its scalars and pointers: the form of a call inside the library.
#pragma once

#include "cairn/types.hpp"

namespace cairn {

struct Call {
  Problem problem;
  double alpha = 1;
  const void* A = nullptr;
  const void* B = nullptr;
  double beta = 0;
  void* C = nullptr;
  const void* bias = nullptr;
  void* before = nullptr;
  const void* scale_a = nullptr;
  const void* scale_b = nullptr;
  const std::int32_t* ends = nullptr;
};

}  // namespace cairn
