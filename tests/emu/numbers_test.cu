// half and bfloat16: every operation rounds once. Judged by arithmetic without rounding and a search among all
// numbers of the type.
#include <bit>
#include <cmath>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cairn/numbers.hpp"
#include "tests/cpu/exact_number.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

using Exact = cpu::ExactNumber;
using Bits = std::uint16_t;

struct Case {
  Bits a, b, c;
};
struct Got {
  Bits add, sub, mul, fma, back;
};

template <class T> __device__ T as(Bits bits) {
  T x;
  memcpy(static_cast<void*>(&x), &bits, sizeof x);
  return x;
}
template <class T> __device__ Bits of(T x) {
  Bits bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

template <class T> __global__ void compute(const Case* in, Got* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const T a = as<T>(in[i].a), b = as<T>(in[i].b), c = as<T>(in[i].c);
  const float wide = a;
  out[i] = {of(__hadd_rn(a, b)), of(__hsub_rn(a, b)), of(__hmul_rn(a, b)), of(__hfma(a, b, c)), of(T(wide))};
}

// S is cairn::f16 or cairn::bf16, by whose numbers alone (not by whose rounding) the search goes.
template <class S> struct Judge {
  Bits infinity;

  double value(Bits bits) const {
    // Beyond the largest number the next step up stands for infinity: that is where rounding begins to reach it.
    if (bits == infinity) return 2 * value(static_cast<Bits>(infinity - 1)) - value(static_cast<Bits>(infinity - 2));
    return static_cast<double>(S::from_bits(bits));
  }
  bool finite(Bits bits) const { return (bits & 0x7fff) < infinity; }

  // The number nearest to `exact`, of two the even one; `zero` is the sign of an exact zero.
  Bits nearest(const Exact& exact, Bits zero) const {
    if (exact == Exact()) return zero;
    const bool negative = exact < Exact();
    const Exact size = negative ? -exact : exact;
    Bits low = 0, high = infinity;  // value(low) <= size < value(high), or high is infinity
    while (high - low > 1) {
      const auto middle = static_cast<Bits>((low + high) / 2);
      (Exact(value(middle)) <= size ? low : high) = middle;
    }
    const auto order = size + size <=> Exact(value(low)) + Exact(value(high));
    const bool up = order > 0 || (order == 0 && low % 2 == 1);
    return static_cast<Bits>((up ? high : low) | (negative ? 0x8000 : 0));
  }
};

// A number with a random exponent near the middle, so that sums have something to round; or any bits at all.
Bits pick(Values& random, int mantissa, int middle) {
  if (random.next() % 8 == 0) return static_cast<Bits>(random.next());
  const auto exponent = static_cast<unsigned>(middle) + random.next() % 13 - 6;
  return static_cast<Bits>((random.next() % 2) << 15 | exponent << mantissa | random.next() % (1u << mantissa));
}

template <class T, class S> void check(int mantissa, int bias, Bits infinity) {
  const Judge<S> judge{infinity};
  Values random(11);
  std::vector<Case> cases;
  for (int i = 0; i < 3000; ++i) {
    const int middle = i % 4 == 0 ? 7 : bias;  // denormal results too
    cases.push_back({pick(random, mantissa, middle), pick(random, mantissa, bias), pick(random, mantissa, middle)});
  }
  const Array<Case> in(cases);
  const Array<Got> out(cases.size());
  const int n = static_cast<int>(cases.size());
  run({(n + 127) / 128}, 128, 0, compute<T>, in.data(), out.data(), n);
  const std::vector<Got> got = out.host();
  for (int i = 0; i < n; ++i) {
    const auto [a, b, c] = cases[i];
    if (!judge.finite(a) || !judge.finite(b) || !judge.finite(c)) continue;
    const double x = static_cast<double>(S::from_bits(a)), y = static_cast<double>(S::from_bits(b)),
                 z = static_cast<double>(S::from_bits(c));
    const auto sign = [](double zero) { return static_cast<Bits>(std::signbit(zero) ? 0x8000 : 0); };
    ASSERT_EQ(got[i].add, judge.nearest(Exact(x) + Exact(y), sign(x + y))) << x << " + " << y;
    ASSERT_EQ(got[i].sub, judge.nearest(Exact(x) + -Exact(y), sign(x - y))) << x << " - " << y;
    ASSERT_EQ(got[i].mul, judge.nearest(Exact(x) * y, sign(x * y))) << x << " * " << y;
    ASSERT_EQ(got[i].fma, judge.nearest(Exact(x) * y + Exact(z), sign(std::fma(x, y, z))))
        << x << " " << y << " " << z;
    ASSERT_EQ(got[i].back, a);
  }
}
TEST(Numbers, HalfRoundsOnce) { check<__half, f16>(10, 15, 0x7c00); }
TEST(Numbers, Bfloat16RoundsOnce) { check<__nv_bfloat16, bf16>(7, 127, 0x7f80); }

struct Odd {
  Bits fused, product_then_sum, nan_sum, inf_minus_inf, from_double, from_int, huge, largest, half_tie, bfloat_tie;
  float low, high;
  int equal_nan, less;
};
__global__ void odd_ones(Odd* out) {
  const __half nan = as<__half>(0x7e01), inf = as<__half>(0x7c00);
  const __half a = as<__half>(0x3c01), b = as<__half>(0x3c01), c = as<__half>(0xbc02);  // 1+e, 1+e, -(1+2e)
  Odd o;
  o.fused = of(__hfma(a, b, c));  // e squared, which the product alone loses
  o.product_then_sum = of(__hadd_rn(__hmul_rn(a, b), c));
  o.nan_sum = of(__hadd(nan, a));
  o.inf_minus_inf = of(__hsub(inf, inf));
  o.from_double = of(__double2half(1.0 + 0x1p-11 + 0x1p-40));  // above the middle by less than a float can tell
  o.from_int = of(__int2half_rn(2049));
  o.huge = of(__float2half_rn(65520.0f));
  o.largest = of(__hmax(nan, __float2half_rn(-3.0f)));
  // Products halfway between two numbers, and a sum that tips them by less than a float, or a double, can tell.
  o.half_tie = of(__hfma(__float2half_rn(683.0f / 512), __float2half_rn(0.75f), as<__half>(1)));
  o.bfloat_tie =
      of(__hfma(__float2bfloat16_rn(7.0f / 16), __float2bfloat16_rn(37.0f / 16), __float2bfloat16_rn(-0x1p-100f)));
  const __half2 pair = __hfma2(__floats2half2_rn(2, 3), __float2half2_rn(4), __floats2half2_rn(1, -1));
  o.low = __low2float(pair);
  o.high = __half22float2(pair).y;
  o.equal_nan = __heq(nan, nan) || __hne(nan, a);
  o.less = __hlt(c, a) && !(a < b);
  *out = o;
}
TEST(Numbers, OddOnes) {
  const Array<Odd> out(1);
  run({1}, 1, 0, odd_ones, out.data());
  const Odd o = out.host()[0];
  EXPECT_EQ(o.fused, static_cast<Bits>(f16(0x1p-20f).bits));
  EXPECT_EQ(o.product_then_sum, 0);
  EXPECT_EQ(o.nan_sum, 0x7fff);
  EXPECT_EQ(o.inf_minus_inf, 0x7fff);
  EXPECT_EQ(o.from_double, 0x3c01);
  EXPECT_EQ(o.from_int, f16(2048.0f).bits);
  EXPECT_EQ(o.huge, 0x7c00);
  EXPECT_EQ(o.largest, f16(-3.0f).bits);
  EXPECT_EQ(o.half_tie, 0x3c01);    // 1 + 2^-11 + 2^-24
  EXPECT_EQ(o.bfloat_tie, 0x3f81);  // 259/256 - 2^-100
  EXPECT_EQ(o.low, 9.0f);
  EXPECT_EQ(o.high, 11.0f);
  EXPECT_EQ(o.equal_nan, 0);
  EXPECT_EQ(o.less, 1);
}

}  // namespace
}  // namespace cairn::emu_test
