// The emulator's version of device/tensor_map.hpp. The error names the rule of the driver that a
// map breaks.
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/sm90/tensor_map.hpp"

namespace cairn {

using TensorMap = emu::TensorMap;

inline Status make_tensor_map(TensorMap& out, const TensorBox& what) { return emu::encode_tensor_map(out, what); }

}  // namespace cairn
