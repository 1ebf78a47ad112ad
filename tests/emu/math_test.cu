// Intrinsics that compute, and the clock.
#include <cmath>
#include <limits>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

__global__ void integers(long long* out) {
  int i = 0;
  out[i++] = __popc(0xf0f0u);
  out[i++] = __popcll(~0ull);
  out[i++] = __clz(1);
  out[i++] = __clz(0);
  out[i++] = __clzll(1);
  out[i++] = __ffs(8);
  out[i++] = __ffs(0);
  out[i++] = __brev(1u);
  out[i++] = __byte_perm(0x03020100u, 0x07060504u, 0x7531u);
  out[i++] = __funnelshift_l(0x80000000u, 0x1u, 4);
  out[i++] = __umulhi(0x80000000u, 6u);
  out[i++] = __mulhi(-1, 5);
  out[i++] = __float2int_rn(2.5f);
  out[i++] = __float2int_rz(-2.9f);
  out[i++] = __float2int_rz(1e20f);
  out[i++] = __float_as_int(1.0f);
  out[i++] = min(-1, 2);
  out[i++] = max(3u, 2u);
  out[i++] = static_cast<long long>(max(2.5f, nanf("")) * 2);
}
TEST(Math, Integers) {
  const std::vector<long long> want = {8, 64, 31,        32,         63, 4, 0, 0x80000000ll, 0x07050301, 0x18, 3, -1,
                                       2, -2, INT32_MAX, 0x3f800000, -1, 3, 5};
  const Array<long long> out(want.size());
  run({1}, 1, 0, integers, out.data());
  EXPECT_EQ(out.host(), want);
}

__global__ void fused(const float* x, float* out) {
  out[0] = fmaf(x[0], x[0], -x[1]);
  out[1] = __fmaf_rn(x[0], x[0], -x[1]);
  out[2] = x[0] * x[0] - x[1];                       // nvcc fuses this, and so do we
  out[3] = __fadd_rn(__fmul_rn(x[0], x[0]), -x[1]);  // and may not fuse this
  out[4] = rsqrtf(x[2]);
  out[5] = __saturatef(x[2]);
}
TEST(Math, ProductsAndSumsFuseAsWithNvcc) {
  const float x = 1.0f + 0x1p-12f, square = 1.0f + 0x1p-11f;  // x * x is 2^-24 more
  const Array<float> in({x, square, 16.0f}), out(6);
  run({1}, 1, 0, fused, in.data(), out.data());
  EXPECT_EQ(out.host(), (std::vector<float>{0x1p-24f, 0x1p-24f, 0x1p-24f, 0.0f, 0.25f, 1.0f}));
}

__global__ void watch_clock(long long* out) {
  long long last = clock64(), backwards = 0, moved = 0;
  for (int i = 0; i < 1000; ++i) {
    const long long now = clock64();
    backwards += now < last;
    moved += now > last;
    last = now;
  }
  out[2 * threadIdx.x] = backwards;
  out[2 * threadIdx.x + 1] = moved > 0;
}
TEST(Math, TheClockRunsForwards) {
  const Array<long long> out(64);
  run({1}, 32, 0, watch_clock, out.data());
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(out.host()[2 * i] == 0 && out.host()[2 * i + 1] == 1);
}

}  // namespace
}  // namespace cairn::emu_test
