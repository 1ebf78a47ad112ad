// Integer intrinsics and conversions. What is expected was worked out by hand, or by another way of computing it.
#include <bit>
#include <climits>
#include <cmath>
#include <limits>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

__global__ void integers(long long* out) {
  int i = 0;
  out[i++] = __dp4a(0x01fe037f, 0x02030480, 10);  // 1*2 - 2*3 + 3*4 + 127*-128 + 10
  out[i++] = __dp4a(0x01fe037fu, 0x02030480u, 10u);
  out[i++] = __dp4a(make_char4(1, -2, 3, 4), make_char4(5, 6, 7, -8), 100);
  out[i++] = __dp4a(make_uchar4(255, 255, 255, 255), make_uchar4(255, 255, 255, 255), 1u);
  out[i++] = __dp2a_lo(0x0002ffff, 0x7f80fe03, 7);  // -1*3 + 2*-2 + 7
  out[i++] = __dp2a_hi(0x0002ffff, 0x7f80fe03, 7);  // -1*-128 + 2*127 + 7
  out[i++] = __dp2a_hi(0x0002ffffu, 0x7f80fe03u, 7u);
  out[i++] = __dp2a_lo(make_short2(-300, 2), make_char4(-1, 5, 0, 0), 0);
  out[i++] = __umul24(0xff000003u, 0x01000005u);
  out[i++] = __umul24(0x00ffffffu, 0x00ffffffu);
  out[i++] = __mul24(-3, 5);
  out[i++] = __mul24(0x7f000003, 5);
  out[i++] = static_cast<long long>(__umul64hi(0x8000000000000000ull, 6));
  out[i++] = __mul64hi(-1, 5);
  out[i++] = __mul64hi(LLONG_MIN, LLONG_MIN);
  out[i++] = __sad(-5, 7, 100);
  out[i++] = __usad(5, 7, 100);
  out[i++] = __hadd(-3, -4);
  out[i++] = __rhadd(INT_MAX, INT_MAX - 1);
  out[i++] = __uhadd(UINT_MAX, UINT_MAX - 1);
  out[i++] = __urhadd(UINT_MAX, 0);
  out[i++] = __funnelshift_lc(0x12345678u, 0x9abcdef0u, 40);
  out[i++] = __funnelshift_rc(0x12345678u, 0x9abcdef0u, 32);
  out[i++] = __funnelshift_r(0x12345678u, 0x9abcdef0u, 8);
  out[i++] = static_cast<long long>(__brevll(1ull << 62));
  out[i++] = __ffsll(1ll << 40);
  out[i++] = max(-1, 2u);  // unsigned, as in CUDA
  out[i++] = min(-1ll, 2);
}
TEST(Intrinsics, Integers) {
  const std::vector<long long> want = {1 * 2 - 2 * 3 + 3 * 4 - 127 * 128 + 10,
                                       1 * 2 + 254 * 3 + 3 * 4 + 127 * 128 + 10,
                                       5 - 12 + 21 - 32 + 100,
                                       4 * 255 * 255 + 1,
                                       0,
                                       128 + 254 + 7,
                                       65535 * 128 + 2 * 127 + 7,
                                       310,
                                       15,
                                       0xfe000001,
                                       -15,
                                       15,
                                       3,
                                       -1,
                                       1ll << 62,
                                       112,
                                       102,
                                       -4,
                                       INT_MAX,
                                       UINT_MAX - 1,
                                       1ll << 31,
                                       0x12345678,
                                       0x9abcdef0,
                                       0xf0123456,
                                       2,
                                       41,
                                       UINT_MAX,
                                       -1};
  const Array<long long> out(want.size());
  run({1}, 1, 0, integers, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void lanes(unsigned* out) {
  int i = 0;
  out[i++] = __vadd4(0x01ff7f80u, 0x02010180u);
  out[i++] = __vsub4(0x00010203u, 0x01010104u);
  out[i++] = __vaddss4(0x7f80017fu, 0x01ff017fu);
  out[i++] = __vaddus4(0xff800102u, 0x01800102u);
  out[i++] = __vsubus2(0x00010005u, 0x00020003u);
  out[i++] = __vabsdiffu4(0x00ff0510u, 0xff000710u);
  out[i++] = __vmaxs4(0x80017f00u, 0x0002ff01u);
  out[i++] = __vmaxu4(0x80017f00u, 0x0002ff01u);
  out[i++] = __vminu2(0xffff0001u, 0x00010002u);
  out[i++] = __vcmpeq4(0x01020304u, 0x01ff03ffu);
  out[i++] = __vsetgtu4(0xff000201u, 0x01000102u);
  out[i++] = __vcmpgts2(0xffff0001u, 0x00000000u);
  out[i++] = __vsadu4(0x00ff0510u, 0xff000710u);
  out[i++] = __vsads2(0xffff8000u, 0x00017fffu);
  out[i++] = __vavgu4(0x01ff0003u, 0x02ff0104u);
  out[i++] = __vneg4(0x01ff0080u);
}
TEST(Intrinsics, BytesAndHalfWords) {
  const std::vector<unsigned> want = {0x03008000u, 0xff0001ffu, 0x7f80027fu, 0xffff0204u, 0x00000002u, 0xffff0200u,
                                      0x00027f01u, 0x8002ff01u, 0x00010001u, 0xff00ff00u, 0x01000100u, 0x0000ffffu,
                                      512u,        65537u,      0x02ff0104u, 0xff010080u};
  const Array<unsigned> out(want.size());
  run({1}, 1, 0, lanes, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void to_integers(const double* x, long long* out) {
  const int t = static_cast<int>(threadIdx.x);
  const double d = x[t];
  const auto f = static_cast<float>(d);
  long long* to = out + 16 * t;
  to[0] = __float2int_rn(f), to[1] = __float2int_rz(f), to[2] = __float2int_rd(f), to[3] = __float2int_ru(f);
  to[4] = __double2uint_rn(d), to[5] = __double2uint_rz(d), to[6] = __double2uint_rd(d), to[7] = __double2uint_ru(d);
  to[8] = __float2ll_rn(f), to[9] = __float2ll_rd(f);
  to[10] = static_cast<long long>(__double2ull_rn(d)), to[11] = static_cast<long long>(__double2ull_ru(d));
  to[12] = __double2int_rn(d), to[13] = __float2uint_rz(f);
  to[14] = __double2ll_rz(d), to[15] = static_cast<long long>(__float2ull_rn(f));
}
TEST(Intrinsics, ToIntegersInAllDirections) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array<double> x({2.5, -2.5, 1e30, nan});
  const Array<long long> out(64);
  run({1}, 4, 0, to_integers, x.data(), out.data());
  const auto high = static_cast<long long>(1ull << 63);
  const std::vector<long long> want = {
      2,         2,         2,       3,       2,         2,         2,         3,
      2,         2,         2,       3,       2,         2,         2,         2,  // 2.5
      -2,        -2,        -3,      -2,      0,         0,         0,         0,
      -2,        -3,        0,       0,       -2,        0,         -2,        0,         // -2.5
      INT_MAX,   INT_MAX,   INT_MAX, INT_MAX, UINT_MAX,  UINT_MAX,  UINT_MAX,  UINT_MAX,  // 1e30
      LLONG_MAX, LLONG_MAX, -1,      -1,      INT_MAX,   UINT_MAX,  LLONG_MAX, -1,        //
      0,         0,         0,       0,       1ll << 31, 1ll << 31, 1ll << 31, 1ll << 31,
      high,      high,      high,    high,    INT_MIN,   0,         high,      high};  // NaN
  EXPECT_EQ(out.host(), want);
}

__global__ void from_integers(float* f, double* d) {
  const int odd = (1 << 24) + 1;  // between two floats
  f[0] = __int2float_rn(odd), f[1] = __int2float_rz(odd), f[2] = __int2float_rd(odd), f[3] = __int2float_ru(odd);
  f[4] = __int2float_rz(-odd), f[5] = __int2float_rd(-odd), f[6] = __int2float_ru(-odd);
  f[7] = __uint2float_rz(UINT_MAX), f[8] = __uint2float_ru(UINT_MAX);
  f[9] = __ull2float_rd(~0ull), f[10] = __ull2float_rn(~0ull), f[11] = __ll2float_ru(LLONG_MIN + 1);
  f[12] = __double2float_rz(1.0 + 0x1p-30), f[13] = __double2float_ru(1.0 + 0x1p-30);
  f[14] = __double2float_rz(1e300), f[15] = __double2float_rd(-1e300), f[16] = __double2float_ru(1e-300);
  const long long wide = (1ll << 53) + 1;
  d[0] = __ll2double_rn(wide), d[1] = __ll2double_ru(wide), d[2] = __ll2double_rd(-wide);
  d[3] = __ull2double_rz(~0ull), d[4] = __int2double_rn(INT_MIN), d[5] = __uint2double_rn(UINT_MAX);
  d[6] = __hiloint2double(0x40091eb8, 0x51eb851f);
  d[7] = __double2hiint(3.14), d[8] = __double2loint(3.14);
}
TEST(Intrinsics, FromIntegersAndToFloatInAllDirections) {
  const Array<float> f(17);
  const Array<double> d(9);
  run({1}, 1, 0, from_integers, f.data(), d.data());
  const float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
  EXPECT_EQ(f.host(), (std::vector<float>{0x1p24f, 0x1p24f, 0x1p24f, 0x1p24f + 2, -0x1p24f, -0x1p24f - 2, -0x1p24f,
                                          0x1.fffffep31f, 0x1p32f, 0x1.fffffep63f, 0x1p64f, -0x1.fffffep62f, 1.0f,
                                          1.0f + 0x1p-23f, most, -infinity, 0x1p-149f}));
  EXPECT_EQ(d.host(), (std::vector<double>{0x1p53, 0x1p53 + 2, -0x1p53 - 2, 0x1.fffffffffffffp63, -0x1p31,
                                           4294967295.0, 3.14, 0x40091eb8, 0x51eb851f}));
}

// Between x and y there is no other number of the type.
template <class T> bool neighbours(T x, T y) { return x < y && std::nextafter(x, y) == y; }

__global__ void rounded(const float* x, float* f, double* d) {
  const float a = x[0], b = x[1], c = x[2];
  f[0] = __fadd_rd(a, c), f[1] = __fadd_ru(a, c), f[2] = __fmul_rd(a, b), f[3] = __fmul_ru(a, b);
  f[4] = __fdiv_rd(a, b), f[5] = __fdiv_ru(a, b), f[6] = __fsqrt_rd(b), f[7] = __fsqrt_ru(b);
  f[8] = __fmaf_rd(a, b, c), f[9] = __fmaf_ru(a, b, c), f[10] = __frcp_rd(b), f[11] = __frcp_ru(b);
  f[12] = __fadd_rz(-a, -c), f[13] = __fmul_rz(3e38f, 10.0f), f[14] = __fsub_rz(a, -c), f[15] = __fadd_rz(1.0f, 2.0f);
  d[0] = __dadd_rd(a, 0x1p-80), d[1] = __dadd_ru(a, 0x1p-80), d[2] = __ddiv_rd(1, 3), d[3] = __ddiv_ru(1, 3);
  const double g = 1.0 + 0x1p-40;
  d[4] = __dmul_rd(g, g), d[5] = __dmul_ru(g, g), d[6] = __dsqrt_rd(2), d[7] = __dsqrt_ru(2);
  d[8] = __fma_rd(g, g, 0x1p-90), d[9] = __fma_ru(g, g, 0x1p-90), d[10] = __drcp_rd(-3), d[11] = __drcp_ru(-3);
  f[16] = __fadd_rd(c, -c), f[17] = __fadd_rz(c, -c), f[18] = __fmaf_rd(a, c, -a * c), f[19] = __fadd_rd(0.0f, 0.0f);
  d[15] = __dadd_rd(a, -a), d[16] = __fma_rd(2, 3, -6), d[17] = __fma_rz(2, 3, -6);
  d[12] = __dmul_rz(1e300, 1e300), d[13] = __dsub_rn(0.5, 0.25), d[14] = __dadd_ru(1, 2);
}
TEST(Intrinsics, ArithmeticInAllDirections) {
  const float a = 1.0f + 0x1p-23f, b = 3.0f + 0x1p-22f, c = 0x1p-60f;
  const Array<float> x({a, b, c}), f(20);
  const Array<double> d(18);
  run({1}, 1, 0, rounded, x.data(), f.data(), d.data());
  const std::vector<float> g = f.host();
  const std::vector<double> h = d.host();
  for (int i = 0; i < 12; i += 2) {  // no result is exact, so the two directions enclose it
    EXPECT_TRUE(neighbours(g[i], g[i + 1])) << i << ": " << g[i] << " " << g[i + 1];
    EXPECT_TRUE(neighbours(h[i], h[i + 1])) << i << ": " << h[i] << " " << h[i + 1];
  }
  // And the enclosed number is the right one: by products that are exact in long double.
  using Wide = long double;
  EXPECT_TRUE(g[0] == a && g[1] == std::nextafter(a, 2.0f));
  EXPECT_TRUE(Wide(g[2]) < Wide(a) * b && Wide(a) * b < Wide(g[3]));
  EXPECT_TRUE(Wide(g[4]) * b < a && a < Wide(g[5]) * b);
  EXPECT_TRUE(Wide(g[6]) * g[6] < b && b < Wide(g[7]) * g[7]);
  EXPECT_TRUE(Wide(g[8]) < Wide(a) * b && Wide(a) * b < Wide(g[9]));
  EXPECT_TRUE(Wide(g[10]) * b < 1 && 1 < Wide(g[11]) * b);
  EXPECT_TRUE(g[12] == -a && g[13] == std::numeric_limits<float>::max() && g[14] == a && g[15] == 3.0f);
  for (int i = 16; i < 20; ++i) EXPECT_EQ(std::bit_cast<unsigned>(g[i]), i % 2 == 0 ? 0x80000000u : 0u) << i;
  EXPECT_TRUE(std::signbit(h[15]) && std::signbit(h[16]) && !std::signbit(h[17]));
  EXPECT_TRUE(h[0] == a && h[4] == 1.0 + 0x1p-39 && h[8] == h[4]);
  EXPECT_TRUE(h[2] == 0x1.5555555555555p-2 && h[6] == 0x1.6a09e667f3bccp0 && h[10] == -0x1.5555555555556p-2);
  EXPECT_TRUE(h[12] == std::numeric_limits<double>::max() && h[13] == 0.25 && h[14] == 3.0);
}

__global__ void functions(double* out) {
  double s = 0, c = 0;
  float fs = 0, fc = 0;
  sincospi(1.5, &s, &c);
  sincospif(1.0f, &fs, &fc);
  int i = 0;
  for (const double x : {s,
                         c,
                         double(fs),
                         double(fc),
                         sinpi(1e9),
                         cospi(0.5),
                         double(cospif(3.0f)),
                         sinpi(2.5),
                         rcbrt(8.0),
                         norm3d(2, 3, 6),
                         rnorm3d(2, 3, 6),
                         double(norm4df(2, 2, 2, 2)),
                         rhypot(3, 4),
                         normcdf(0.0),
                         double(__exp10f(2.0f)),
                         double(__log10f(1000.0f)),
                         double(__tanf(0.0f)),
                         double(__fdividef(1.0f, 4.0f)),
                         double(__powf(2.0f, 3.0f)),
                         double(__saturatef(nanf("")))})
    out[i++] = x;
}
TEST(Intrinsics, FunctionsWithExactValues) {
  const Array<double> out(20);
  run({1}, 1, 0, functions, out.data());
  const std::vector<double> want = {-1, 0, 0, -1, 0, 0, -1, 1, 0.5, 7, 1.0 / 7, 4, 0.2, 0.5, 100, 3, 0, 0.25, 8, 0};
  EXPECT_EQ(out.host(), want);
}

__global__ void around(double* out) {
  const double x = 0.1 * static_cast<int>(threadIdx.x) - 4;
  sincospi(x, &out[4 * threadIdx.x], &out[4 * threadIdx.x + 1]);
  out[4 * threadIdx.x + 2] = sinpi(x), out[4 * threadIdx.x + 3] = cospi(x);
}
TEST(Intrinsics, SinesOfMultiplesOfPi) {
  const Array<double> out(4 * 81);
  run({1}, 81, 0, around, out.data());
  const std::vector<double> got = out.host();
  for (int i = 0; i < 81; ++i) {
    const double x = std::acos(-1.0) * (0.1 * i - 4);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(got[4 * i + k], k % 2 == 0 ? std::sin(x) : std::cos(x), 1e-14) << i;
  }
}

__global__ void partly(float* out) {
  const float4 four = {1.0f};
  const float2 two = {};
  out[0] = four.x + four.y + four.z + four.w + two.x + two.y;
}
TEST(Intrinsics, WhatAVectorsBracesLeaveOutIsZero) {
  const Array<float> out(1);
  run({1}, 1, 0, partly, out.data());
  EXPECT_EQ(out.host()[0], 1.0f);
}

}  // namespace
}  // namespace cairn::emu_test
