// mma of f64: the emulator against chains of fused multiply-adds in ascending order of k, and a GPU against the emulator,
// to the bit. Where a GPU's bits are others, what is printed tells in which order it adds.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device/reference.hpp"

namespace cairn::device_ops {
namespace {

using Doubles = std::vector<double>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  // With random fraction and sign, and an exponent from `least` on.
  double number(int least, unsigned count) {
    const int exponent = least + static_cast<int>(next() % count);
    const double size = std::ldexp(1 + std::ldexp(static_cast<double>(next() >> 12), -52), exponent);
    return next() % 2 == 0 ? size : -size;
  }

 private:
  std::uint64_t state_;
};

enum class Numbers : std::uint8_t { near_one, wide, tiny, special };
constexpr const char* kNames[] = {"near one", "wide", "tiny", "special"};

double draw(Random& random, Numbers numbers) {
  switch (numbers) {
    case Numbers::near_one: return random.number(-4, 8);
    case Numbers::wide: return random.number(-500, 1000);
    case Numbers::tiny: return random.number(-560, 100);  // products and sums are subnormal, or too small
    case Numbers::special: break;
  }
  using Limits = std::numeric_limits<double>;
  constexpr double kSpecial[] = {0, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min()};
  const std::uint64_t which = random.next() % 40;
  const double x = which < std::size(kSpecial) ? kSpecial[which] : random.number(-4, 8);
  return random.next() % 2 == 0 ? x : -x;
}

enum class Sum : std::uint8_t {
  ascending,   // fused multiply-adds, k by k
  descending,  // the same from the last k
  fours,       // chains of four, each from zero, that are then added
  unfused      // products rounded before they are added
};
constexpr const char* kSums[] = {"ascending", "descending", "by fours", "unfused"};

double sum_of(Sum how, const double* a, const double* b, int k, double c) {
  double sum = c, four = 0;
  for (int i = 0; i < k; ++i) {
    const int l = how == Sum::descending ? k - 1 - i : i;
    if (how == Sum::fours) {
      four = std::fma(a[l], b[l], i % 4 == 0 ? 0 : four);
      if (i % 4 == 3) sum += four;
    } else if (how == Sum::unfused) {
      const volatile double product = a[l] * b[l];
      sum += product;
    } else {
      sum = std::fma(a[l], b[l], sum);
    }
  }
  return sum;
}

// What each lane must hold, by the maps of the manual.
Doubles expected_f64(const Kind& kind, int tiles, const Doubles& in, Sum how) {
  const auto [m, n, k] = kind.shape;
  Doubles out(static_cast<std::size_t>(m * n * tiles));
  for (int tile = 0; tile < tiles; ++tile) {
    const double* from = in.data() + static_cast<std::ptrdiff_t>(tile) * (m * k + k * n + m * n);
    Doubles a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));  // A by rows, B by columns
    for (int at = 0; at < m * k; ++at) {
      const auto p = manual_place(kind, Operand::a, at / (m * k / 32), at % (m * k / 32));
      a[static_cast<std::size_t>(p.row * k + p.col)] = from[at];
    }
    for (int at = 0; at < k * n; ++at) {
      const auto p = manual_place(kind, Operand::b, at / (k * n / 32), at % (k * n / 32));
      b[static_cast<std::size_t>(p.col * k + p.row)] = from[m * k + at];
    }
    for (int at = 0; at < m * n; ++at) {
      const auto p = manual_place(kind, Operand::c, at / (m * n / 32), at % (m * n / 32));
      out[static_cast<std::size_t>(tile * m * n + at)] =
          sum_of(how, &a[static_cast<std::size_t>(p.row * k)], &b[static_cast<std::size_t>(p.col * k)], k,
                 from[m * k + k * n + at]);
    }
  }
  return out;
}

// Numbers with other bits; all NaNs are one.
std::size_t differing(const Doubles& x, const Doubles& y) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (std::bit_cast<std::uint64_t>(x[i]) != std::bit_cast<std::uint64_t>(y[i])) ++count;
  }
  return count;
}

Doubles draw_all(const Kind& kind, int tiles, Numbers numbers) {
  const auto [m, n, k] = kind.shape;
  Random random(static_cast<std::uint64_t>(k) * 8 + static_cast<std::uint64_t>(numbers));
  Doubles in(static_cast<std::size_t>((m * k + k * n + m * n) * tiles));
  for (double& x : in) x = draw(random, numbers);
  return in;
}
Doubles run_all(const Entry& entry, int which, int tiles, const Doubles& in) {
  const auto [m, n, k] = kKindsF64[which].shape;
  Doubles out(static_cast<std::size_t>(m * n * tiles));
  const char* wrong = entry.run_f64(which, tiles, in.data(), out.data());
  EXPECT_EQ(wrong, nullptr) << wrong;
  return out;
}
std::string name_of(int which) {
  const auto [m, n, k] = kKindsF64[which].shape;
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

constexpr Numbers kAll[] = {Numbers::near_one, Numbers::wide, Numbers::tiny, Numbers::special};

class F64OnEmulator : public testing::TestWithParam<int> {};
TEST_P(F64OnEmulator, IsAChainOfFusedMultiplyAdds) {
  const Kind& kind = kKindsF64[GetParam()];
  for (const Numbers numbers : kAll) {
    const Doubles in = draw_all(kind, 300, numbers);
    const Doubles got = run_all(*cairn_device_ops_emulated(), GetParam(), 300, in);
    EXPECT_EQ(differing(got, expected_f64(kind, 300, in, Sum::ascending)), 0u) << kNames[static_cast<int>(numbers)];
  }
  // These numbers tell the orders apart.
  const Doubles in = draw_all(kind, 300, Numbers::near_one);
  const Doubles want = expected_f64(kind, 300, in, Sum::ascending);
  for (const Sum other : {Sum::descending, Sum::fours, Sum::unfused})
    EXPECT_GT(differing(want, expected_f64(kind, 300, in, other)), want.size() / 8) << kSums[static_cast<int>(other)];
}

class F64OnGpu : public testing::TestWithParam<int> {};
TEST_P(F64OnGpu, HasTheBitsOfTheEmulator) {
  constexpr int tiles = 20000;
  const Kind& kind = kKindsF64[GetParam()];
  for (const Numbers numbers : kAll) {
    const Doubles in = draw_all(kind, tiles, numbers);
    const Doubles got = run_all(*gpu, GetParam(), tiles, in),
                  want = run_all(*cairn_device_ops_emulated(), GetParam(), tiles, in);
    EXPECT_EQ(differing(got, want), 0u) << kNames[static_cast<int>(numbers)];
    std::printf("probe: mma f64 %s, %s, of %zu differ:", name_of(GetParam()).c_str(),
                kNames[static_cast<int>(numbers)], want.size());
    for (const Sum how : {Sum::ascending, Sum::descending, Sum::fours, Sum::unfused})
      std::printf(" %s %zu", kSums[static_cast<int>(how)], differing(got, expected_f64(kind, tiles, in, how)));
    std::printf("\n");
  }
}

std::string title(const testing::TestParamInfo<int>& info) { return name_of(info.param); }
INSTANTIATE_TEST_SUITE_P(Shapes, F64OnEmulator, testing::Range(0, kCountF64), title);
INSTANTIATE_TEST_SUITE_P(Shapes, F64OnGpu, testing::Range(0, kCountF64), title);

}  // namespace
}  // namespace cairn::device_ops
