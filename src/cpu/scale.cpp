#include "src/cpu/scale.hpp"

#include <algorithm>

#include "cairn/numbers.hpp"
#include "src/cpu/epilogue.hpp"

namespace cairn::cpu {

void scale_c(const Call& call) {
  const Problem& p = call.problem;
  const double beta = call.beta;
  if (p.m == 0 || p.n == 0 || (beta == 1 && !p.has_epilogue())) return;
  with_type(p.out, [&]<class T>() {
    if (p.has_epilogue()) {
      for (std::int64_t batch = 0; batch < p.batch; ++batch) {
        for (std::int64_t i = 0; i < p.m; ++i) {
          const T* row = static_cast<const T*>(call.C) + batch * p.stride_c + i * p.ldc;
          for (std::int64_t j = 0; j < p.n; ++j)
            finish<T>(call, batch, i, j, beta == 0 ? 0 : beta * static_cast<double>(row[j]));
        }
      }
      return;
    }
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        T* row = static_cast<T*>(call.C) + batch * p.stride_c + i * p.ldc;
        if (beta == 0) {
          std::fill_n(row, p.n, T{});
          continue;
        }
        // Unless C is f64, beta and C have at most 24 significant bits each, so the product in double is
        // exact and is rounded once, to C's type.
        for (std::int64_t j = 0; j < p.n; ++j) row[j] = static_cast<T>(beta * static_cast<double>(row[j]));
      }
    }
  });
}

}  // namespace cairn::cpu
