// Stands in for CUDA's header of this name: the types of the driver's functions that there are.
#pragma once

#include "emu/shadow/cuda.h"
