#include "lab/verify/healthy.hpp"

namespace cairn::lab::verify {
namespace {

struct Row {
  std::string_view contender;
  RatioKind kind;
  Ratios ratios;
};

// Printed by: cairn verify --device cpu --fuzz 20000 --healthy, and for rungs by --device emu --fuzz 2000
//
// Only types whose output is as wide as the accumulator: for others the rounding to the output hides all other
// errors. 0 where no k of that size was drawn. The bound of e4m3 is that of tensor cores, far above the errors of f32
// sums.
constexpr Row kHealthy[] = {
    {"cpu/reference", {Type::f64, Type::f64}, {0.11, 0.081, 0.058, 0.033, 0.026, 0.016, 0.0094, 0.0096, 0.0062, 0}},
    {"cpu/reference", {Type::f32, Type::f32}, {0.11, 0.081, 0.059, 0.04, 0.024, 0.021, 0.012, 0.0064, 0.0062, 0}},
    {"cpu/reference", {Type::f16, Type::f32}, {0.11, 0.081, 0.059, 0.037, 0.025, 0.021, 0.013, 0.0095, 0.0021, 0}},
    {"cpu/reference", {Type::bf16, Type::f32}, {0.11, 0.081, 0.059, 0.039, 0.028, 0.018, 0.013, 0.0081, 0.0061, 0}},
    {"cpu/reference",
     {Type::e4m3, Type::f32},
     {5.7e-05, 5.7e-05, 5.7e-05, 5.7e-05, 5.4e-05, 4.7e-05, 2.6e-05, 1.4e-05, 1.3e-05, 0}},
    {"cpu/openblas", {Type::f64, Type::f64}, {0.21, 0.19, 0.15, 0.12, 0.11, 0.084, 0.069, 0.052, 0.057, 0}},
    {"cpu/openblas", {Type::f32, Type::f32}, {0.19, 0.18, 0.16, 0.11, 0.096, 0.12, 0.097, 0.091, 0.065, 0}},
    {"cpu/openblas", {Type::f16, Type::f32}, {0.11, 0.16, 0.14, 0.13, 0.09, 0.1, 0.12, 0.092, 0.034, 0}},
    {"cpu/openblas", {Type::bf16, Type::f32}, {0.11, 0.12, 0.1, 0.057, 0.053, 0.039, 0.06, 0.11, 0.12, 0}},
    {"cpu/openblas",
     {Type::e4m3, Type::f32},
     {5.7e-05, 5.7e-05, 5.7e-05, 5.7e-05, 5.4e-05, 4.7e-05, 2.6e-05, 5.5e-05, 7e-05, 0}},
    {"simt/01_naive", {Type::f32, Type::f32}, {0.19, 0.18, 0.17, 0.12, 0.11, 0.092, 0.068, 0.064, 0.04, 0}},
    {"simt/02_coalesced", {Type::f32, Type::f32}, {0.19, 0.18, 0.17, 0.12, 0.11, 0.092, 0.068, 0.064, 0.04, 0}},
    {"simt/03_coalesced_1d", {Type::f32, Type::f32}, {0.19, 0.18, 0.17, 0.12, 0.11, 0.092, 0.068, 0.064, 0.04, 0}},
    {"simt/04_block_tile", {Type::f32, Type::f32}, {0.19, 0.18, 0.17, 0.12, 0.11, 0.092, 0.068, 0.064, 0.04, 0}},
    {"hopper/60_bf16x6",
     {Type::f32, Type::f32, Compute::split},
     {0.21, 0.18, 0.13, 0.17, 0.12, 0.12, 0.12, 0.19, 0.045, 0}},
    {"hopper/61_f16x3",
     {Type::f32, Type::f32, Compute::split},
     {0.35, 0.27, 0.16, 0.08, 0.1, 0.12, 0.09, 0.061, 0.035, 0}},
};

}  // namespace

double healthy_ratio(std::string_view contender, const Problem& problem) {
  const RatioKind kind{problem.in, problem.out, problem.compute};
  for (const Row& row : kHealthy)
    if (row.contender == contender && row.kind == kind)
      return row.ratios[static_cast<std::size_t>(bucket(problem.k))];
  return 0;
}

}  // namespace cairn::lab::verify
