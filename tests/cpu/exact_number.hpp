// Arithmetic without rounding, to test rounding with: a fixed-point number of 1024 bits, 512 of them
// after the binary point. Sums and products of a few f32 numbers of any size fit, and of doubles that
// are neither huge nor tiny.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <stdexcept>

namespace cairn::cpu {

class ExactNumber {
 public:
  ExactNumber() = default;  // 0
  explicit ExactNumber(double x) {
    ExactNumber one;
    one.digits_[kPoint] = 1;
    *this = one * x;
  }

  ExactNumber operator-() const {
    ExactNumber result;
    std::uint64_t carry = 1;
    for (int i = 0; i < kDigits; ++i) {
      carry += ~digits_[i] & kMask;
      result.digits_[i] = carry & kMask;
      carry >>= 32;
    }
    return result;
  }

  ExactNumber operator+(const ExactNumber& other) const {
    ExactNumber result;
    std::uint64_t carry = 0;
    for (int i = 0; i < kDigits; ++i) {
      carry += digits_[i] + other.digits_[i];
      result.digits_[i] = carry & kMask;
      carry >>= 32;
    }
    return result;
  }

  ExactNumber operator*(double x) const {
    if (negative()) return -(-*this * x);
    if (x < 0) return -(*this * -x);
    int exponent = 0;
    const auto mantissa =
        static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));  // x * 2^(53-exponent)
    const ExactNumber high = times_digit(mantissa >> 32).shifted(32);
    return (high + times_digit(mantissa & kMask)).shifted(exponent - 53);
  }

  std::strong_ordering operator<=>(const ExactNumber& other) const {
    const ExactNumber difference = *this + -other;
    if (difference.negative()) return std::strong_ordering::less;
    for (const std::uint64_t digit : difference.digits_)
      if (digit != 0) return std::strong_ordering::greater;
    return std::strong_ordering::equal;
  }
  bool operator==(const ExactNumber& other) const = default;

 private:
  static constexpr int kDigits = 32, kPoint = 16;
  static constexpr std::uint64_t kMask = 0xffffffff;

  bool negative() const { return (digits_[kDigits - 1] >> 31) != 0; }

  ExactNumber times_digit(std::uint64_t factor) const {
    ExactNumber result;
    std::uint64_t carry = 0;
    for (int i = 0; i < kDigits; ++i) {
      carry += digits_[i] * factor;
      result.digits_[i] = carry & kMask;
      carry >>= 32;
    }
    if (carry != 0 || result.negative()) throw std::overflow_error("ExactNumber: too large");
    return result;
  }

  // Of a number that is not negative.
  ExactNumber shifted(int bits) const {
    ExactNumber result;
    for (int from = 0; from < 32 * kDigits; ++from) {
      if (((digits_[from / 32] >> (from % 32)) & 1) == 0) continue;
      const int to = from + bits;
      if (to < 0 || to >= 32 * kDigits - 1) throw std::overflow_error("ExactNumber: too large or too small");
      result.digits_[to / 32] |= std::uint64_t{1} << (to % 32);
    }
    return result;
  }

  std::uint64_t digits_[kDigits] = {};  // 32 bits each, lowest first; negative ones as two's complement
};

}  // namespace cairn::cpu
