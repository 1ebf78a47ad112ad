// Handles of Cairn: one for each thread and device, made on first use.
#pragma once

#include "python/torch_ops/tensors.hpp"

namespace cairn_torch {

// The calling thread's handle for the device, on the stream that is torch's current one.
cairn_handle handle_for(Device device);

}  // namespace cairn_torch
