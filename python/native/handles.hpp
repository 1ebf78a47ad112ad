// The handles of a thread, one for each device that it used: a handle is for one thread at a time, and it keeps plans
// and scratch memory that are worth keeping from call to call.
#pragma once

#include "cairn/cairn.h"

namespace cairn_python {

// Opened at a thread's first use of the device, closed when the thread ends. Throws Failure.
cairn_handle handle_of(int device);

}  // namespace cairn_python
