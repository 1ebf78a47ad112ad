// The addresses of a product, as Python hands them over: numbers, 0 for what the problem does not have.
#pragma once

#include <cstdint>

#include "cairn/cairn.h"

namespace cairn_python {

using Address = std::uintptr_t;

template <class T = void> T* pointer(Address address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): that is what Python has
}

inline cairn_operands operands(Address A, Address B, Address C, Address bias, Address before, Address scale_a,
                               Address scale_b) {
  cairn_operands data = CAIRN_OPERANDS_INIT;
  data.A = pointer<const void>(A);
  data.B = pointer<const void>(B);
  data.C = pointer(C);
  data.bias = pointer<const void>(bias);
  data.before = pointer(before);
  data.scale_a = pointer<const void>(scale_a);
  data.scale_b = pointer<const void>(scale_b);
  return data;
}

}  // namespace cairn_python
