// Stands in for CUDA's header of this name. There is no profiler: both calls succeed and do nothing.
#pragma once

#include "emu/shadow/driver_types.h"

cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
