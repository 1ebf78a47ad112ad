// Stands in for CUDA's header of this name when a kernel file is compiled for the emulator.
#pragma once

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "emu/shadow/assert.h"
#include "emu/shadow/cuda_runtime_api.h"
#include "emu/shadow/emu_atomic.h"
#include "emu/shadow/emu_functions.h"
#include "emu/shadow/emu_index.h"
#include "emu/shadow/emu_launch.h"
#include "emu/shadow/emu_math.h"
#include "emu/shadow/emu_memory.h"
#include "emu/shadow/emu_qualifiers.h"
#include "emu/shadow/emu_symbols.h"
#include "emu/shadow/emu_sync.h"
#include "emu/shadow/emu_toolkit.h"
#include "emu/shadow/emu_warp.h"
#include "emu/shadow/vector_functions.h"
#include "emu/shadow/vector_types.h"
