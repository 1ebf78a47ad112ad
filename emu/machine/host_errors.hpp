// The calling host thread's last error, as cudaGetLastError knows it.
#pragma once

#include "cairn/types.hpp"
#include "emu/shadow/driver_types.h"

namespace cairn::emu {

cudaError_t note(cudaError_t error);                     // records it unless it is cudaSuccess, and returns it
cudaError_t note(cudaError_t error, const Status& why);  // with the text for cudaGetErrorString

}  // namespace cairn::emu
