// The ladders by device. The CUDA one is linked in; the emulated one is in its own shared object, because both define
// the same symbols.
#include "kernels/ladder.hpp"

#ifdef CAIRN_HAVE_EMULATOR
#include "emu/emulator.hpp"
#endif

namespace cairn {

Ladder cuda_ladder() {
#ifdef CAIRN_HAVE_CUDA
  return rungs();
#else
  return {};
#endif
}

Ladder emulated_ladder() {
#ifdef CAIRN_HAVE_EMULATOR
  std::size_t count = 0;
  const void* first = cairn_emu_plain()->ladder(&count);
  return {static_cast<const Rung* const*>(first), count};
#else
  return {};
#endif
}

}  // namespace cairn
