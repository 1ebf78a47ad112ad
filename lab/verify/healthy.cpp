#include "lab/verify/healthy.hpp"

namespace cairn::lab::verify {
namespace {

struct Row {
  std::string_view contender;
  Type in, out;
  Ratios ratios;
};

// Printed by: cairn verify --device cpu --fuzz 20000 --healthy
constexpr Row kHealthy[] = {
    {"", Type::f32, Type::f32, {}},
};

}  // namespace

double healthy_ratio(std::string_view contender, const Problem& problem) {
  if (problem.compute != Compute::native) return 0;
  for (const Row& row : kHealthy) {
    if (row.contender == contender && row.in == problem.in && row.out == problem.out) {
      return row.ratios[static_cast<std::size_t>(bucket(problem.k))];
    }
  }
  return 0;
}

}  // namespace cairn::lab::verify
