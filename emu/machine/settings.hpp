// The emulator's settings, and the properties of the emulated device.
#pragma once

#include "emu/emulator.hpp"

namespace cairn::emu {

Settings settings();
void configure(const Settings& wanted);  // values out of range are clamped
int os_threads();                        // settings().threads, with 0 resolved
bool faithful_tensor();                  // read at every mma, so kept apart from settings()
DeviceFacts device_facts();

}  // namespace cairn::emu
