// Stands in for CUDA's header of this name: threadIdx and the like.
#pragma once

#include "emu/shadow/emu_index.h"

#define __DEVICE_LAUNCH_PARAMETERS_H__  // the guard of CUDA's own, as in emu_toolkit.h
