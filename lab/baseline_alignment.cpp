#include "lab/baseline_cublas.hpp"

namespace cairn::lab {

Alignment alignment_of(const Call& call) {
  const auto of = [](const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer) | 256;
    return static_cast<std::uint32_t>(address & (~address + 1));  // the lowest bit that is set
  };
  return {of(call.A), of(call.B), of(call.C)};
}

}  // namespace cairn::lab
