// Stands in for CUDA's header of this name: threadIdx and the like.
#pragma once

#include "emu/shadow/emu_index.h"

#define __DEVICE_LAUNCH_PARAMETERS_H__  // as for __DRIVER_TYPES_H__
