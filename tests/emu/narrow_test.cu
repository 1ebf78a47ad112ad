// half, bfloat16, the 8-bit types and complex numbers: functions, directions of rounding, comparisons, bits.
#include <cmath>
#include <limits>
#include <math_constants.h>

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

using Bits = std::vector<unsigned>;

__global__ void halves(unsigned* out) {
  const auto put = [&](__half x) { *out++ = __half_as_ushort(x); };
  const __half two = 2.0f, nan = __ushort_as_half(0x7e00);
  put(hexp2(two)), put(hsqrt(__half(16))), put(hrcp(__half(8))), put(hrsqrt(__half(4))), put(hlog2(__half(0.25f)));
  put(hfloor(__half(-1.5f))), put(hceil(__half(-1.5f))), put(hrint(__half(2.5f))), put(htrunc(__half(-1.5f)));
  put(hexp(__half(0))), put(hcos(__half(0)));
  put(__hadd_sat(two, two)), put(__hfma_relu(two, __half(-3), __half(1))), put(__hmul_sat(nan, two));
  put(__hmax_nan(nan, two)), put(__hmax(nan, two)), put(__hmin(two, __half(-1)));
  __half counted = 5;
  counted++, ++counted, counted /= two;
  put(counted), put(-counted), put(__half(70000ll)), put(__half(true));
  put(static_cast<__half>(__half_raw{0x3c01})), put(__short_as_half(-1));
  *out++ = static_cast<__half_raw>(two).x;
  const __half2 pair = __floats2half2_rn(1.0f, -2.0f), same = __half2half2(two);
  const auto both = [&](__half2 v) { put(v.x), put(v.y); };
  both(h2exp2(same)), both(pair / same), both(__hmax2(pair, same)), both(__hneg2(pair)), both(__habs2(pair));
  both(__heq2(pair, __float2half2_rn(1.0f))), both(__hltu2(__half2(nan, two), same)), both(__lows2half2(pair, same));
  both(__low2half2(pair)), both(__lowhigh2highlow(pair));
  *out++ = __hbeq2(pair, pair) ? 1 : 0, *out++ = __hblt2(pair, same) ? 1 : 0;
  *out++ = __hequ(nan, two) ? 1 : 0, *out++ = __heq(nan, two) ? 1 : 0, *out++ = nan != nan ? 1 : 0;
}
TEST(Narrow, Halves) {
  const Bits want = {0x4400, 0x4400, 0x3000, 0x3800, 0xc000, 0xc000, 0xbc00, 0x4000, 0xbc00, 0x3c00, 0x3c00,  //
                     0x3c00, 0x0000, 0x0000, 0x7fff, 0x4000, 0xbc00,                                          //
                     0x4300, 0xc300, 0x7c00, 0x3c00, 0x3c01, 0xffff, 0x4000,                                  //
                     0x4400, 0x4400, 0x3800, 0xbc00, 0x4000, 0x4000, 0xbc00, 0x4000, 0x3c00, 0x4000,          //
                     0x3c00, 0x0000, 0x3c00, 0x0000, 0x3c00, 0x4000, 0x3c00, 0x3c00, 0xc000, 0x3c00,          //
                     1,      1,      1,      0,      1};
  const Array<unsigned> out(want.size());
  run({1}, 1, 0, halves, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void conversions(unsigned* out, long long* integers) {
  const auto half_of = [&](__half x) { *out++ = __half_as_ushort(x); };
  const auto bf16_of = [&](__nv_bfloat16 x) { *out++ = __bfloat16_as_ushort(x); };
  const float x = 1.0f + 0x1p-12f;  // between 1 and the next half
  half_of(__float2half_rn(x)), half_of(__float2half_rz(x)), half_of(__float2half_rd(-x)), half_of(__float2half_ru(x));
  half_of(__float2half_rz(1e9f)), half_of(__float2half_ru(1e9f)), half_of(__float2half_ru(1e-9f));
  half_of(__float2half_rd(1e-9f)), half_of(__int2half_rd(2049)), half_of(__int2half_ru(2049));
  half_of(__ushort2half_rn(65535)), half_of(__short2half_rn(-3)), half_of(__ull2half_rz(1ull << 40));
  bf16_of(__float2bfloat16_rz(1.999f)), bf16_of(__float2bfloat16_ru(1.999f)), bf16_of(__int2bfloat16_rd(-257));
  // Just above the middle of two bfloat16 numbers, by less than a double holds.
  bf16_of(__ll2bfloat16_rn((257ll << 54) + 1)), bf16_of(__ll2bfloat16_rn(257ll << 54));
  bf16_of(hexp2(__nv_bfloat16(3))), bf16_of(__hfma(__nv_bfloat16(2), __nv_bfloat16(3), __nv_bfloat16(4)));
  bf16_of(__high2bfloat162(__floats2bfloat162_rn(1, 2)).x), bf16_of((__nv_bfloat162(1, 3) + __nv_bfloat162(2, 4)).y);
  const __half h = -2.5f;
  int i = 0;
  integers[i++] = __half2int_rn(h), integers[i++] = __half2int_rz(h), integers[i++] = __half2int_rd(h);
  integers[i++] = __half2uint_rz(h), integers[i++] = __half2short_ru(h), integers[i++] = __half2ll_rd(h);
  integers[i++] = __half2ushort_rn(__half(65504)), integers[i++] = __half2short_rn(__half(65504));
  integers[i++] = __bfloat162int_ru(__nv_bfloat16(1.5f)), integers[i++] = __hisinf(__half(-1e9f));
}
TEST(Narrow, ConversionsInAllDirections) {
  const Bits want = {0x3c00, 0x3c00, 0xbc01, 0x3c01, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x6800, 0x6801, 0x7c00,
                     0xc200, 0x7bff, 0x3fff, 0x4000, 0xc381, 0x5e81, 0x5e80, 0x4100, 0x4120, 0x4000, 0x40e0};
  const std::vector<long long> integers = {-2, -2, -3, 0, -2, -3, 65504, 32767, 2, -1};
  const Array<unsigned> out(want.size());
  const Array<long long> got(integers.size());
  run({1}, 1, 0, conversions, out.data(), got.data());
  EXPECT_EQ(out.host(), want);
  EXPECT_EQ(got.host(), integers);
}

// The values of the 256 numbers, from the definition: sign, exponent, fraction.
double value_of(int bits, int fraction_bits, int least_exponent) {
  const int fraction = bits & ((1 << fraction_bits) - 1), stored = (bits & 0x7f) >> fraction_bits;
  const double size = stored == 0
                          ? std::ldexp(fraction, least_exponent - fraction_bits)
                          : std::ldexp(fraction + (1 << fraction_bits), stored - 1 + least_exponent - fraction_bits);
  return (bits & 0x80) != 0 ? -size : size;
}

template <class T> __global__ void read_all(float* out, unsigned* again) {
  T x;
  x.__x = static_cast<unsigned char>(threadIdx.x);
  out[threadIdx.x] = static_cast<float>(x);
  again[threadIdx.x] = T(static_cast<float>(x)).__x;
}
template <class T> void expect_all(int fraction_bits, int least_exponent, int last_finite) {
  const Array<float> out(256);
  const Array<unsigned> again(256);
  run({1}, 256, 0, read_all<T>, out.data(), again.data());
  for (int i = 0; i < 256; ++i) {
    if ((i & 0x7f) > last_finite) continue;
    EXPECT_EQ(out.host()[i], value_of(i, fraction_bits, least_exponent)) << i;
    EXPECT_EQ(again.host()[i], static_cast<unsigned>(i));
  }
}
TEST(Narrow, EveryEightBitNumberAndBack) {
  expect_all<__nv_fp8_e4m3>(3, -6, 0x7e);
  expect_all<__nv_fp8_e5m2>(2, -14, 0x7b);
}

__global__ void eight_bits(unsigned* out) {
  const float nan = CUDART_NAN_F, infinity = CUDART_INF_F;
  for (const float x : {1.0625f, 1.1875f, 464.0f, 465.0f, 1e9f, -infinity, nan, 0x1p-10f, 0x1.8p-10f, -0.0f}) {
    *out++ = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    *out++ = __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3);
  }
  for (const float x : {1.125f, 1.375f, 61439.0f, 61440.0f, -infinity, nan, 0x1p-17f, 0x1.8p-17f}) {
    *out++ = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    *out++ = __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2);
  }
  *out++ = __nv_cvt_double_to_fp8(1.0625 + 0x1p-40, __NV_NOSAT, __NV_E4M3);  // rounded once
  *out++ = __nv_cvt_float2_to_fp8x2({1.0f, -2.0f}, __NV_NOSAT, __NV_E4M3);
  *out++ = __nv_cvt_halfraw_to_fp8(__half(3.0f), __NV_NOSAT, __NV_E5M2);
  *out++ = __nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3).x;
  *out++ = __nv_cvt_fp8_to_halfraw(0x7c, __NV_E5M2).x;
  *out++ = __nv_cvt_fp8x2_to_halfraw2(0xc038, __NV_E4M3).y;
  *out++ = __nv_fp8x4_e4m3(make_float4(1, -2, 0.5f, 448)).__x;
  *out++ = static_cast<unsigned>(static_cast<int>(__nv_fp8_e4m3(7)));
  *out++ = static_cast<unsigned>(static_cast<float4>(__nv_fp8x4_e5m2(make_float4(1, 2, 3, 4))).z);
  *out++ = __half_as_ushort(static_cast<__half2>(__nv_fp8x2_e4m3(make_float2(1, 2))).y);
}
TEST(Narrow, EightBitsRoundOnceAndSaturateOrNot) {
  const Bits want = {0x38, 0x38,   0x3a, 0x3a,   0x7e,   0x7e,   0x7e,       0x7f, 0x7e, 0x7f,  0xfe, 0xff,
                     0x7f, 0x7f,                                                                             //
                     0x00, 0x00,   0x01, 0x01,   0x80,   0x80,                                               //
                     0x3c, 0x3c,   0x3e, 0x3e,   0x7b,   0x7b,   0x7b,       0x7c, 0xfb, 0xfc,  0x7f, 0x7f,  //
                     0x00, 0x00,   0x01, 0x01,                                                               //
                     0x39, 0xc038, 0x42, 0x3c00, 0x7c00, 0xc000, 0x7e30c038, 7,    3,    0x4000};
  const Array<unsigned> out(want.size());
  run({1}, 1, 0, eight_bits, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void complex_numbers(double* out) {
  const cuDoubleComplex a = make_cuDoubleComplex(3, 4), b = make_cuDoubleComplex(1, 2);
  const auto put = [&](cuDoubleComplex x) { *out++ = x.x, *out++ = x.y; };
  put(cuCadd(a, b)), put(cuCsub(a, b)), put(cuCmul(a, b)), put(cuCfma(a, b, b)), put(cuConj(a));
  put(cuCdiv(make_cuDoubleComplex(-2, 0), make_cuDoubleComplex(0, 2)));
  const cuComplex f = make_cuFloatComplex(3, 4);
  put(cuComplexFloatToDouble(cuCmulf(f, f)));
  *out++ = cuCabs(a), *out++ = cuCabsf(f), *out++ = cuCimagf(f), *out++ = cuCreal(b);
}
TEST(Narrow, ComplexNumbers) {
  const std::vector<double> want = {4, 6, 2, 2, -5, 10, -4, 12, 3, -4, 0, 1, -7, 24, 5, 5, 4, 1};
  const Array<double> out(want.size());
  run({1}, 1, 0, complex_numbers, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void wide_atomics(long long* l, unsigned short* u, float4* f, int* scoped, double* d) {
  const int id = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicMin(&l[0], 5ll - id);
  atomicMax(&l[1], -7ll + id);
  for (unsigned short seen = *u; true;) {
    const unsigned short before = atomicCAS(u, seen, static_cast<unsigned short>(seen + 2));
    if (before == seen) break;
    seen = before;
  }
  atomicAdd(f, make_float4(1, 2, 3, 4));
  atomicAdd_block(&scoped[0], 3);
  atomicMax_system(&scoped[1], id);
  atomicCAS_block(&scoped[2], 0, 9);
  atomicAdd_system(d, 0.5);
}
TEST(Narrow, AtomicsOfOtherWidthsAndScopes) {
  const Array<long long> l(2);
  const Array<unsigned short> u(1);
  const Array<float> f(4);
  const Array<int> scoped(3);
  const Array<double> d(1);
  run({4}, 64, 0, wide_atomics, l.data(), u.data(), reinterpret_cast<float4*>(f.data()), scoped.data(), d.data());
  EXPECT_EQ(l.host(), (std::vector<long long>{-250, 248}));
  EXPECT_EQ(u.host()[0], 512);
  EXPECT_EQ(f.host(), (std::vector<float>{256, 512, 768, 1024}));
  EXPECT_EQ(scoped.host(), (std::vector<int>{768, 255, 9}));
  EXPECT_EQ(d.host()[0], 128.0);
}

}  // namespace
}  // namespace cairn::emu_test
