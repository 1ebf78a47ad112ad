#include "src/cpu/backend.hpp"

namespace cairn::cpu {

std::span<const Backend* const> backends() {
  static constexpr const Backend* kAll[] = {
#ifdef CAIRN_HAVE_OPENBLAS
      &openblas,
#endif
      &reference,
  };
  return kAll;
}

}  // namespace cairn::cpu
