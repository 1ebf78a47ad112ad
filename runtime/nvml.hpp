// The GPU's sensors, through the driver's management library. It is loaded when first asked for: a machine without it
// loses the readings and nothing else.
#pragma once

#include <string>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

using NvmlDevice = void*;

// "580.65.06"; empty without the library.
std::string nvml_driver();

// By PCI address, since the library counts devices its own way. Null where there is none.
NvmlDevice nvml_open(const char* pci_bus_id);

// All 0 for a null device.
Vitals nvml_read(NvmlDevice device);

}  // namespace cairn::runtime
