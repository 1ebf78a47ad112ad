// The one name that comes out of a shared object of transposes.
#include <cstddef>
#include <iterator>

#include "kernels/ladder.hpp"

namespace cairn {
namespace transpose_1 {
extern const Rung rung;
}
namespace transpose_2 {
extern const Rung rung;
}
namespace transpose_3 {
extern const Rung rung;
}
namespace transpose_4 {
extern const Rung rung;
}
}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::Rung* const* cairn_transposes(std::size_t* count) {
  using namespace cairn;
  static constexpr const Rung* kAll[] = {&transpose_1::rung, &transpose_2::rung, &transpose_3::rung,
                                         &transpose_4::rung};
  *count = std::size(kAll);
  return kAll;
}
