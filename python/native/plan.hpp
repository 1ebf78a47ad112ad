// A cairn_plan that Python owns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "python/native/data.hpp"

namespace cairn_python {

class Plan {
 public:
  // The library's own choice, or the rung that is named ("simt/13", "simt/13@2").
  Plan(int device, const nanobind::dict& problem, const std::optional<std::string>& rung);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();

  // Any thread may run it, each with its own handle. As gemm_pointers.
  void run(Address stream, double alpha, double beta, Address A, Address B, Address C, Address bias, Address before,
           Address scale_a, Address scale_b) const;

  std::string id() const;
  std::string tile() const;
  std::string why() const;
  std::size_t workspace() const;

 private:
  int device_;
  cairn_plan plan_ = nullptr;
};

}  // namespace cairn_python
