// The one symbol that the shared object of traced kernels exports.
#include <span>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "emu/trace.hpp"
#include "emu/trace/collector.hpp"

namespace cairn {
struct Rung;
std::span<const Rung* const> rungs();  // of the ladder compiled into the same shared object
}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::emu::TracedEntry* cairn_emu_traced(void) {
  using namespace cairn::emu;
  static const TracedEntry entry = {
      {[](std::size_t* count) -> const void* {
         const auto ladder = cairn::rungs();
         *count = ladder.size();
         return ladder.data();
       },
       &configure, &device_facts, &allocate, &release, &copy_in, &copy_out, &fill, &take_failure},
      &begin_collecting,
      &take_trace,
      &count_unwritten,
  };
  return &entry;
}
