// The one symbol that a shared object of emulated kernels exports.
#include <span>

#include "emu/emulator.hpp"
#include "emu/machine/device_memory.hpp"
#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"

namespace cairn {
struct Rung;
std::span<const Rung* const> rungs();  // of the ladder compiled into the same shared object
}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::emu::Entry* cairn_emu_plain(void) {
  using namespace cairn::emu;
  static const Entry entry = {
      [](std::size_t* count) -> const void* {
        const auto ladder = cairn::rungs();
        *count = ladder.size();
        return ladder.data();
      },
      &configure,
      &device_facts,
      &allocate,
      &release,
      &copy_in,
      &copy_out,
      &fill,
      &take_failure,
  };
  return &entry;
}
