// The only symbol that the shared object of the experiments' kernels exports.
#include <cstddef>
#include <iterator>

#include "kernels/ladder.hpp"

namespace cairn {
namespace lab_vectorize {
extern const Rung rung;
}
namespace lab_double_buffer {
extern const Rung rung;
}
namespace lab_tiny_code {
extern const Rung rung;
}
namespace lab_activate {
extern const Rung rung;
}
}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::Rung* const* cairn_lab_kernels(std::size_t* count) {
  using namespace cairn;
  static constexpr const Rung* kAll[] = {&lab_vectorize::rung, &lab_double_buffer::rung, &lab_tiny_code::rung,
                                         &lab_activate::rung};
  *count = std::size(kAll);
  return kAll;
}
