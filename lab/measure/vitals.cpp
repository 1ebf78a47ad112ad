#include "lab/measure/vitals.hpp"

#include <algorithm>

#include "lab/measure/statistics.hpp"

namespace cairn::lab::measure {

void VitalsLog::read() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!readings_.empty() && now - last_ < 100ms) return;
  last_ = now;
  readings_.push_back(machine_.vitals());
}

record::Vitals VitalsLog::summary() const {
  record::Vitals v;
  std::vector<double> clocks, powers;
  for (const runtime::Vitals& reading : readings_) {
    clocks.push_back(reading.sm_mhz);
    powers.push_back(reading.power_w);
    v.temperature_c = std::max(v.temperature_c, reading.temperature_c);
    for (const std::string& reason : reading.throttled) {
      if (std::ranges::find(v.throttled, reason) == v.throttled.end()) v.throttled.push_back(reason);
    }
  }
  if (readings_.empty()) return v;
  v.sm_mhz = median(clocks), v.sm_mhz_low = quantile(clocks, 0), v.sm_mhz_high = quantile(clocks, 1);
  v.power_w = median(powers), v.power_w_high = quantile(powers, 1);
  return v;
}

}  // namespace cairn::lab::measure
