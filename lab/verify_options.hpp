// The flags of `cairn verify`, and the spaces that they describe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/options.hpp"
#include "lab/verify/case.hpp"

namespace cairn::lab {

struct VerifyOptions {
  std::vector<std::string> ids;
  ProblemOptions problem;
  std::optional<double> alpha, beta;
  std::string device = "auto";
  std::optional<std::int64_t> fuzz;
  std::optional<std::uint64_t> replay;
  bool healthy = false;
  bool check = false;
  OutputOptions output;

  bool is_suite() const { return !problem.suite.empty(); }
};

// What cases are drawn from: one space, or one for each line of a suite.
std::vector<verify::Space> spaces(const VerifyOptions& options);

}  // namespace cairn::lab
