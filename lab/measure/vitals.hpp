// The device's sensors over the time of a measurement.
#pragma once

#include <chrono>
#include <vector>

#include "lab/record/record.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab::measure {

class VitalsLog {
 public:
  explicit VitalsLog(runtime::Machine& machine) : machine_(machine) {}

  // Takes a reading, unless the last one is younger than a tenth of a second: a reading takes time too.
  void read();
  record::Vitals summary() const;

 private:
  runtime::Machine& machine_;
  std::chrono::steady_clock::time_point last_{};
  std::vector<runtime::Vitals> readings_;
};

}  // namespace cairn::lab::measure
