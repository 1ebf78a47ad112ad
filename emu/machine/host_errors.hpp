// The calling host thread's last error, as cudaGetLastError knows it.
#pragma once

#include "cairn/types.hpp"
#include "emu/shadow/driver_types.h"

namespace cairn::emu {

cudaError_t note(cudaError_t error);                     // remembers it unless it is cudaSuccess, and gives it back
cudaError_t note(cudaError_t error, const Status& why);  // with words for cudaGetErrorString

}  // namespace cairn::emu
