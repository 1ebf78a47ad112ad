#include "lab/experiments/precision_numbers.hpp"

#include <cmath>
#include <numbers>

#include "lab/workers.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::lab {
namespace {

// Box and Muller's; the logarithm's argument is never 0.
double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log((random.real() + 1) / 2 + 0x1p-54));
  return radius * std::cos(std::numbers::pi * random.real());
}

constexpr Numbers kNumbers[] = {
    {"N(0, 1)", normal, 2},
    {"U(0, 1)", [](Random& random) { return (random.real() + 1) / 2; }, 1},
    {"2^±10",
     [](Random& random) {
       const double size = std::ldexp(1.5 + random.real() / 2, static_cast<int>(random.integer(-10, 10)));
       return random.chance(50) ? size : -size;
     },
     3},
    {"exp(4 N(0, 1))", [](Random& random) { return std::exp(4 * normal(random)); }, 2},
    // An eighth, so that no sum of 65536 products that are scaled by 2^120 overflows an f32.
    {"rows 2^±60", [](Random& random) { return normal(random) / 8; }, 2, 60},
};

// rows x cols; a scale belongs to a row or to a column.
std::vector<float> matrix(const Numbers& numbers, std::int64_t rows, std::int64_t cols, bool by_row,
                          std::uint64_t seed) {
  std::vector<int> scales(static_cast<std::size_t>(by_row ? rows : cols));
  Random for_scales(seed ^ 0x5ca1e5);
  for (int& scale : scales) scale = static_cast<int>(for_scales.integer(-numbers.scaled, numbers.scaled));
  std::vector<float> out(static_cast<std::size_t>(rows * cols));
  cpu::spread(workers_for(rows * cols), rows, [&](int, std::int64_t begin, std::int64_t end) {
    Random random = Random(seed).after(begin * cols * numbers.takes);
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        const int scale = scales[static_cast<std::size_t>(by_row ? i : j)];
        out[static_cast<std::size_t>(i * cols + j)] = static_cast<float>(std::ldexp(numbers.draw(random), scale));
      }
    }
  });
  return out;
}

}  // namespace

std::span<const Numbers> all_numbers() { return kNumbers; }

Factors draw(const Numbers& numbers, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  return {matrix(numbers, m, k, true, seed), matrix(numbers, k, n, false, ~seed)};
}

}  // namespace cairn::lab
