// The emulator's body of device/tensor_map.hpp. A map is checked by the driver's rules and says which one it breaks.
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/sm90/tensor_map.hpp"

namespace cairn {

using TensorMap = emu::TensorMap;

inline Status make_tensor_map(TensorMap& out, const TensorBox& what) { return emu::encode_tensor_map(out, what); }

}  // namespace cairn
