// The narrow types against an independent definition of their formats: every value, in order.
#include "cairn/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

// What a format is: mantissa width, exponent bias, and what its highest codes mean.
template <class T> struct Format;
template <> struct Format<f16> {
  static constexpr int kMantissaBits = 10, kBias = 15;
  static constexpr std::uint32_t kMaxFinite = 0x7bff, kInfinity = 0x7c00, kNan = 0x7fff, kSign = 0x8000;
};
template <> struct Format<bf16> {
  static constexpr int kMantissaBits = 7, kBias = 127;
  static constexpr std::uint32_t kMaxFinite = 0x7f7f, kInfinity = 0x7f80, kNan = 0x7fff, kSign = 0x8000;
};
template <> struct Format<e4m3> {
  static constexpr int kMantissaBits = 3, kBias = 7;
  // No infinity: one code above the largest finite value is NaN, and whatever is too large becomes
  // the largest.
  static constexpr std::uint32_t kMaxFinite = 0x7e, kInfinity = 0x7e, kNan = 0x7f, kSign = 0x80;
};

// The value of a non-negative finite code, by the definition.
template <class T> double value(std::uint32_t code) {
  using F = Format<T>;
  const int exponent = static_cast<int>(code >> F::kMantissaBits);
  const auto mantissa = static_cast<double>(code & ((1u << F::kMantissaBits) - 1));
  const double one = static_cast<double>(1u << F::kMantissaBits);
  return exponent == 0 ? std::ldexp(mantissa / one, 1 - F::kBias)
                       : std::ldexp(1 + mantissa / one, exponent - F::kBias);
}

// The code nearest to size >= 0: the last value not above it, or the next, or of two equally near
// the even one.
template <class T> std::uint32_t nearest_code(double size) {
  using F = Format<T>;
  std::uint32_t low = 0, high = F::kMaxFinite + 1;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (value<T>(middle) <= size ? low : high) = middle;
  }
  const double below = size - value<T>(low);  // both differences are exact: the three are neighbours
  const double above = value<T>(low + 1) - size;
  const std::uint32_t code = below < above || (below == above && low % 2 == 0) ? low : low + 1;
  return code > F::kMaxFinite ? F::kInfinity : code;
}

template <class T> T from_code(std::uint32_t code) { return T::from_bits(static_cast<decltype(T::bits)>(code)); }

template <class T, class From> void expect_rounds(From x, std::uint32_t code) {
  ASSERT_EQ(T(x).bits, code) << std::hexfloat << x;
  ASSERT_EQ(T(-x).bits, code | Format<T>::kSign) << std::hexfloat << -x;
}

template <class T> class Numbers : public testing::Test {};
struct TypeName {
  template <class T> static std::string GetName(int) {
    return std::string(std::is_same_v<T, f16> ? "f16" : std::is_same_v<T, bf16> ? "bf16" : "e4m3");
  }
};
using Narrow = testing::Types<f16, bf16, e4m3>;
TYPED_TEST_SUITE(Numbers, Narrow, TypeName);

TYPED_TEST(Numbers, every_finite_code_has_the_value_its_definition_gives) {
  using F = Format<TypeParam>;
  for (std::uint32_t code = 0; code <= F::kMaxFinite; ++code) {
    const auto x = from_code<TypeParam>(code);
    const auto minus_x = from_code<TypeParam>(code | F::kSign);
    ASSERT_EQ(static_cast<double>(x), value<TypeParam>(code)) << code;
    ASSERT_EQ(static_cast<float>(x), static_cast<float>(value<TypeParam>(code))) << code;
    ASSERT_EQ(static_cast<double>(minus_x), -value<TypeParam>(code)) << code;
    ASSERT_TRUE(std::signbit(static_cast<float>(minus_x))) << code;
  }
}

TYPED_TEST(Numbers, every_code_round_trips_and_every_nan_becomes_the_one_nan) {
  using F = Format<TypeParam>;
  for (std::uint32_t code = 0; code < 2 * F::kSign; ++code) {
    const auto x = from_code<TypeParam>(code);
    const std::uint32_t size = code & (F::kSign - 1);
    const bool is_nan = size > F::kInfinity;
    ASSERT_EQ(std::isnan(static_cast<float>(x)), is_nan) << code;
    ASSERT_EQ(std::isnan(static_cast<double>(x)), is_nan) << code;
    ASSERT_EQ(TypeParam(static_cast<float>(x)).bits, is_nan ? F::kNan : code);
    ASSERT_EQ(TypeParam(static_cast<double>(x)).bits, is_nan ? F::kNan : code);
  }
}

// Between two neighbours lies one midpoint, exact in float and double. On it the even code wins;
// one float or one double to either side, the nearer.
TYPED_TEST(Numbers, every_midpoint_goes_to_even_and_its_neighbours_to_the_nearer_value) {
  using F = Format<TypeParam>;
  for (std::uint32_t code = 0; code < F::kMaxFinite; ++code) {
    const double middle = (value<TypeParam>(code) + value<TypeParam>(code + 1)) / 2;
    const auto middle_f = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(middle_f), middle);
    const std::uint32_t even = code % 2 == 0 ? code : code + 1;
    expect_rounds<TypeParam>(middle, even);
    expect_rounds<TypeParam>(middle_f, even);
    expect_rounds<TypeParam>(std::nextafter(middle, 0.0), code);
    expect_rounds<TypeParam>(std::nextafter(middle_f, 0.0f), code);
    expect_rounds<TypeParam>(std::nextafter(middle, HUGE_VAL), code + 1);
    expect_rounds<TypeParam>(std::nextafter(middle_f, HUGE_VALF), code + 1);
    ASSERT_FALSE(this->HasFatalFailure()) << "near code " << code;
  }
}

TYPED_TEST(Numbers, random_floats_and_doubles_go_to_the_nearest_value) {
  using F = Format<TypeParam>;
  std::mt19937_64 random(7);
  // Exponents from well below the smallest denormal to well above the largest value, as far as
  // float goes.
  const int low = 1 - F::kBias - F::kMantissaBits - 8, high = std::min(F::kBias + 4, 127);
  std::uniform_int_distribution<int> exponent(std::max(low, -149), high);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(mantissa(random), exponent(random));
    expect_rounds<TypeParam>(x, nearest_code<TypeParam>(x));
    const auto y = static_cast<float>(x);
    if (std::isfinite(y)) expect_rounds<TypeParam>(y, nearest_code<TypeParam>(static_cast<double>(y)));
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

// Above a midpoint by less than float can hold: rounding to float first would give the midpoint, and
// rounding that the even neighbour, which is the wrong one.
TYPED_TEST(Numbers, a_double_is_rounded_once_where_rounding_through_float_would_differ) {
  int differ = 0;
  for (std::uint32_t code = 0; code < Format<TypeParam>::kMaxFinite; ++code) {
    const double middle = (value<TypeParam>(code) + value<TypeParam>(code + 1)) / 2;
    const double above = middle * (1 + 0x1p-40), below = middle * (1 - 0x1p-40);
    ASSERT_EQ(TypeParam(above).bits, code + 1) << code;
    ASSERT_EQ(TypeParam(below).bits, code) << code;
    differ += TypeParam(static_cast<float>(above)).bits != TypeParam(above).bits;
    differ += TypeParam(static_cast<float>(below)).bits != TypeParam(below).bits;
  }
  EXPECT_GE(differ, static_cast<int>(Format<TypeParam>::kMaxFinite) / 2) << "the cases no longer test anything";
}

TYPED_TEST(Numbers, zeros_keep_their_sign_and_the_tiniest_numbers_become_zero) {
  expect_rounds<TypeParam>(0.0, 0);
  expect_rounds<TypeParam>(0.0f, 0);
  expect_rounds<TypeParam>(std::numeric_limits<double>::denorm_min(), 0);
  expect_rounds<TypeParam>(std::numeric_limits<float>::denorm_min(), 0);
}

TYPED_TEST(Numbers, what_is_too_large_becomes_infinity_or_for_e4m3_the_largest_value) {
  using F = Format<TypeParam>;
  const double step = value<TypeParam>(F::kMaxFinite) - value<TypeParam>(F::kMaxFinite - 1);
  const double limit = value<TypeParam>(F::kMaxFinite) + step / 2;  // from here on it is too large
  expect_rounds<TypeParam>(std::nextafter(limit, 0.0), F::kMaxFinite);
  expect_rounds<TypeParam>(std::nextafter(static_cast<float>(limit), 0.0f), F::kMaxFinite);
  expect_rounds<TypeParam>(limit, F::kInfinity);
  expect_rounds<TypeParam>(static_cast<float>(limit), F::kInfinity);
  expect_rounds<TypeParam>(std::numeric_limits<float>::max(), F::kInfinity);
  expect_rounds<TypeParam>(std::numeric_limits<double>::max(), F::kInfinity);
  expect_rounds<TypeParam>(HUGE_VALF, F::kInfinity);
  expect_rounds<TypeParam>(HUGE_VAL, F::kInfinity);
}

TYPED_TEST(Numbers, nan_of_any_sign_and_payload_becomes_the_one_nan) {
  for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu})
    EXPECT_EQ(TypeParam(std::bit_cast<float>(bits)).bits, Format<TypeParam>::kNan) << std::hex << bits;
  for (const std::uint64_t bits :
       {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xffffffffffffffffu})
    EXPECT_EQ(TypeParam(std::bit_cast<double>(bits)).bits, Format<TypeParam>::kNan) << std::hex << bits;
}

// Conversions are usable at compile time, both ways and from both types.
static_assert(f16(1.0f).bits == 0x3c00 && static_cast<float>(f16(-2.5)) == -2.5f);
static_assert(bf16(1.0f).bits == 0x3f80 && static_cast<double>(bf16(3.0)) == 3.0);
static_assert(e4m3(1.0f).bits == 0x38 && static_cast<float>(e4m3(1000.0)) == 448.0f);
static_assert(f16(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01 && f16(static_cast<float>(1 + 0x1p-11)).bits == 0x3c00);
static_assert(type_of<bf16> == Type::bf16 && Element<e4m3> && !Element<int>);

TEST(NumbersByType, with_type_hands_over_the_type_that_was_named) {
  for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::e4m3}) {
    EXPECT_EQ(with_type(type, []<class T>() { return type_of<T>; }), type);
    EXPECT_EQ(with_type(type, []<class T>() { return static_cast<std::int64_t>(sizeof(T)); }), size_of(type));
  }
}

}  // namespace
}  // namespace cairn
