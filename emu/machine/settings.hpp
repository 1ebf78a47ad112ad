// The emulator's settings, and the device it pretends to be.
#pragma once

#include "emu/emulator.hpp"

namespace cairn::emu {

Settings settings();
void configure(const Settings& wanted);  // values out of range are brought into it
int os_threads();                        // settings().threads, with 0 resolved
bool faithful_tensor();                  // asked for at every product of tiles
DeviceFacts device_facts();

}  // namespace cairn::emu
