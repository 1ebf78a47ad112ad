#include "lab/verify/hard.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::lab::verify {
namespace {

constexpr int kLowest = -120, kHighest = 120, kTiny = -149, kNormal = -126;  // exponents: of lines, and f32's own
// The largest sum of two exponents: 2^104 times thousands of products, scales and the significands is finite in f32.
constexpr int kProduct = 104;
// How many binades elements of a line are apart: what planes of f16 hold is 28, and 100 of bf16.
constexpr int kApart[] = {3, 12, 27, 28, 29, 60, 99, 100, 101, 180};

double of_size(Random& random, int exponent) {
  const double size = std::ldexp(1 + std::abs(random.real()), std::max(exponent, kTiny));
  return random.chance(50) ? size : -size;
}

// Elements of every size from 2^low to 2^high, and at least one of either.
void draw_apart(Random& random, int low, int high, std::span<double> line) {
  const auto any = [&]() -> double& {
    return line[static_cast<std::size_t>(random.integer(0, std::ssize(line) - 1))];
  };
  for (double& x : line) x = random.chance(10) ? 0 : of_size(random, static_cast<int>(random.integer(low, high)));
  any() = of_size(random, low);
  any() = of_size(random, high);
}

// One huge element, and small ones.
void draw_huge(Random& random, int low, int high, std::span<double> line) {
  for (double& x : line) x = std::ldexp(random.real(), low);
  line[static_cast<std::size_t>(random.integer(0, std::ssize(line) - 1))] = of_size(random, high);
}

}  // namespace

Hard::Hard(const Case& test) {
  const std::int64_t k = test.problem.k;
  Random random(test.seed ^ 0x68617264u);
  top_a_ = static_cast<int>(random.integer(kLowest, kHighest));
  if (test.alias) top_a_ = kProduct / 2;
  top_b_ = std::min(kProduct - top_a_, kHighest);
  constexpr int kPercent[] = {0, 2, 10, 100};
  percent_ = random.pick(kPercent);
  const std::int64_t distances[] = {0, 0, 1, 16, 64, k / 2};
  distance_ = random.pick(distances);
}

void Hard::draw(Random& random, bool of_b, std::span<double> line) const {
  const auto high = static_cast<int>(random.integer(kLowest, of_b ? top_b_ : top_a_));
  const int low = high - random.pick(kApart);
  const auto kind = random.chance(percent_) ? random.integer(1, 4) : 0;
  if (kind <= 1) {
    const int exponent = kind == 1 ? kNormal : high;  // subnormals
    for (double& x : line) x = std::ldexp(random.real(), exponent);
  } else if (kind == 2) {
    draw_huge(random, low, high, line);
  } else {
    draw_apart(random, low, high, line);
  }
  // Pairs of products whose sum is 0, but for a last bit of a few: a factor comes again, with the other sign in op(B).
  const std::int64_t k = std::ssize(line), d = distance_;
  for (std::int64_t first = 0; d > 0 && first < k; first += 2 * d) {
    for (std::int64_t i = first; i < std::min(first + d, k - d); ++i) {
      const double x = line[static_cast<std::size_t>(i)];
      line[static_cast<std::size_t>(i + d)] = of_b ? -x : random.chance(10) ? x * (1 + 0x1p-23) : x;
    }
  }
}

}  // namespace cairn::lab::verify
