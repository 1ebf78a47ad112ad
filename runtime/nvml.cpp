#include "runtime/nvml.hpp"

#include <dlfcn.h>

namespace cairn::runtime {
namespace {

// The few functions used, as the library's documented C interface has them; its header need not be installed.
struct Library {
  int (*init)() = nullptr;
  int (*driver)(char* text, unsigned size) = nullptr;
  int (*by_bus)(const char* pci_bus_id, NvmlDevice* device) = nullptr;
  int (*clock)(NvmlDevice device, int which, unsigned* mhz) = nullptr;
  int (*power)(NvmlDevice device, unsigned* milliwatts) = nullptr;
  int (*temperature)(NvmlDevice device, int sensor, unsigned* degrees) = nullptr;
  int (*throttle)(NvmlDevice device, unsigned long long* reasons) = nullptr;
  bool ready = false;
};

template <class Function> bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  return out != nullptr;
}

const Library& library() {
  static const Library loaded = [] {
    Library l;
    void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    l.ready = handle != nullptr && find(handle, "nvmlInit_v2", l.init) &&
              find(handle, "nvmlSystemGetDriverVersion", l.driver) &&
              find(handle, "nvmlDeviceGetHandleByPciBusId_v2", l.by_bus) &&
              find(handle, "nvmlDeviceGetClockInfo", l.clock) && find(handle, "nvmlDeviceGetPowerUsage", l.power) &&
              find(handle, "nvmlDeviceGetTemperature", l.temperature) &&
              find(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", l.throttle) && l.init() == 0;
    return l;
  }();
  return loaded;
}

// Reasons why a busy GPU's clock is below its maximum. Those of an idle GPU do not affect a measurement.
constexpr struct {
  unsigned long long bit;
  const char* name;
} kReasons[] = {{0x2, "clocks set by an application"},
                {0x4, "power cap"},
                {0x8, "hardware slowdown"},
                {0x10, "sync boost"},
                {0x20, "thermal"},
                {0x40, "hardware thermal"},
                {0x80, "power brake"},
                {0x100, "display clocks"}};

}  // namespace

std::string nvml_driver() {
  char text[96] = {};
  return library().ready && library().driver(text, sizeof text) == 0 ? text : "";
}

NvmlDevice nvml_open(const char* pci_bus_id) {
  NvmlDevice device = nullptr;
  return library().ready && library().by_bus(pci_bus_id, &device) == 0 ? device : nullptr;
}

Vitals nvml_read(NvmlDevice device) {
  Vitals v;
  if (device == nullptr) return v;
  constexpr int kSmClock = 1, kGpuSensor = 0;
  unsigned value = 0;
  if (library().clock(device, kSmClock, &value) == 0) v.sm_mhz = value;
  if (library().power(device, &value) == 0) v.power_w = value / 1e3;
  if (library().temperature(device, kGpuSensor, &value) == 0) v.temperature_c = value;
  unsigned long long reasons = 0;
  if (library().throttle(device, &reasons) == 0) {
    for (const auto& [bit, name] : kReasons) {
      if ((reasons & bit) != 0) v.throttled.emplace_back(name);
    }
  }
  return v;
}

}  // namespace cairn::runtime
