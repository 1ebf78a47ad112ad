// The emulator's version of device/sm90.hpp: here everything is compiled for sm_90a.
#pragma once

#include "emu/machine/shared_window.hpp"
#include "emu/shadow/cuda_runtime.h"

#define CAIRN_SM90A 1

namespace cairn {

inline unsigned shared_address(const void* shared) { return emu::shared_offset(shared); }

}  // namespace cairn
