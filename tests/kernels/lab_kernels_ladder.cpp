// The ladder of lab_kernels_test: the cards of the experiments' kernels.
#include "kernels/ladder.hpp"

extern "C" const cairn::Rung* const* cairn_lab_kernels(std::size_t* count);

namespace cairn {

Ladder rungs() {
  std::size_t count = 0;
  const Rung* const* first = cairn_lab_kernels(&count);
  return {first, count};
}

}  // namespace cairn
