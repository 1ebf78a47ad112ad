// alpha and beta of C = alpha op(A) op(B) + beta C, as --alpha and --beta give them. A Problem has neither: a plan is
// the same whatever they are.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace cairn::lab {

struct Scalars {
  double alpha = 1;
  double beta = 0;

  bool operator==(const Scalars&) const = default;

  // " alpha=2 beta=0.5", to follow a problem's short form; empty for 1 and 0.
  std::string text() const {
    std::string words;
    if (alpha != 1) words += fmt::format(" alpha={}", alpha);
    if (beta != 0) words += fmt::format(" beta={}", beta);
    return words;
  }

  // Halves up to 2: their products with small integers are exact in every type, e4m3 included.
  bool are_exact() const {
    const auto exact = [](double x) { return std::abs(x) <= 2 && 2 * x == std::floor(2 * x); };
    return exact(alpha) && exact(beta);
  }
};

}  // namespace cairn::lab
