// A Problem together with what it is run on: what travels inside the library once a call has been translated.
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
};

}  // namespace cairn
