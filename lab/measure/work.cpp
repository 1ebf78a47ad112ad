#include "lab/measure/work.hpp"

namespace cairn::lab::measure {

double flops(const Problem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}

double bytes(const Problem& p, Work work, const Scalars& scalars) {
  const auto of = [](std::int64_t rows, std::int64_t cols, Type type) {
    return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(size_of(type));
  };
  const double others = of(p.m, p.k, p.in) + (scalars.beta == 0 ? 1 : 2) * of(p.m, p.n, p.out);
  return static_cast<double>(p.batch) * others +
         (work == Work::move ? 0 : static_cast<double>(p.count_b()) * of(p.k, p.n, p.in));
}

}  // namespace cairn::lab::measure
