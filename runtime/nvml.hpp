// The GPU's sensors, through NVML, the driver's management library. It is loaded at first use; without it only the
// readings are missing.
#pragma once

#include <string>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

using NvmlDevice = void*;

// "580.65.06"; empty without the library.
std::string nvml_driver();

// By PCI address, since NVML numbers devices differently than CUDA. Null where there is none.
NvmlDevice nvml_open(const char* pci_bus_id);

// All 0 for a null device.
Vitals nvml_read(NvmlDevice device);

}  // namespace cairn::runtime
