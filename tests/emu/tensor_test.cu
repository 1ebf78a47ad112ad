// Tensor cores as the emulator has them: a few products that can be worked out by hand, and what it says when a call
// is wrong. tests/device/device_ops_test.cpp has many more numbers.
#include <cstring>
#include <mma.h>
#include <string>

#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

namespace wmma = nvcuda::wmma;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

// C += A B of 16 x 16 each, A by rows and B by columns.
template <class In, class Sum> __global__ void tile_product(const In* a, const In* b, Sum* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, In, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, In, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sums;
  wmma::load_matrix_sync(x, a, 16);
  wmma::load_matrix_sync(y, b, 16);
  wmma::load_matrix_sync(sums, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sums, x, y, sums);
  wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}
TEST(Tensor, MultipliesATile) {
  std::vector<__half> a(256), b(256);
  std::vector<float> c(256), want(256);
  for (int i = 0; i < 256; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2, c[i] = static_cast<float>(i % 11);
  for (int i = 0; i < 256; ++i) {
    want[i] = c[i];
    for (int l = 0; l < 16; ++l)
      want[i] += static_cast<float>(a[i / 16 * 16 + l]) * static_cast<float>(b[i % 16 * 16 + l]);
  }
  const Array<__half> x(a), y(b);
  const Array<float> sums(c);
  run({1}, 32, 0, tile_product<__half, float>, x.data(), y.data(), sums.data());
  EXPECT_EQ(sums.host(), want);
}

// The same of 16 x 8 x 16 with ldmatrix and mma: A by rows, B by rows too and so transposed on its way.
template <class In> __global__ void small_product(const In* a, const In* b, float* c) {
  alignas(16) __shared__ In tile_a[16][16];
  alignas(16) __shared__ In tile_b[16][8];
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, col = lane % 4 * 2;
  for (int i = lane; i < 256; i += 32) tile_a[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) tile_b[i / 8][i % 8] = b[i];
  __syncwarp();
  std::uint32_t x[4], y[2];
  load_matrices(x, &tile_a[lane % 16][lane / 16 * 8]);
  load_transposed(y, &tile_b[lane % 16][0]);
  float sums[4] = {};
  mma<In>(sums, x, y);
  for (int i = 0; i < 4; ++i) c[(row + i / 2 * 8) * 8 + col + i % 2] = sums[i];
}
TEST(Tensor, LoadsAndMultipliesASmallTile) {
  std::vector<__nv_bfloat16> a(256), b(128);
  std::vector<float> want(128);
  for (int i = 0; i < 256; ++i) a[i] = i % 7 - 3;
  for (int i = 0; i < 128; ++i) b[i] = i % 5 - 2;
  for (int i = 0; i < 128; ++i)
    for (int l = 0; l < 16; ++l)
      want[i] += static_cast<float>(a[i / 8 * 16 + l]) * static_cast<float>(b[l * 8 + i % 8]);
  const Array<__nv_bfloat16> x(a), y(b);
  const Array<float> sums(128);
  run({1}, 32, 0, small_product<__nv_bfloat16>, x.data(), y.data(), sums.data());
  EXPECT_EQ(sums.host(), want);
}

// One dot product of 16: row 0 of A, column 0 of B.
template <class In, class Sum> Sum dot(const std::vector<In>& a, const std::vector<In>& b, Sum c, bool faithful) {
  std::vector<In> whole_a(256, In(0)), whole_b(256, In(0));
  std::copy(a.begin(), a.end(), whole_a.begin());
  std::copy(b.begin(), b.end(), whole_b.begin());
  std::vector<Sum> whole_c(256, Sum(0));
  whole_c[0] = c;
  const Array<In> x(whole_a), y(whole_b);
  const Array<Sum> sums(whole_c);
  emu::configure({.faithful_tensor = faithful});
  run({1}, 32, 0, tile_product<In, Sum>, x.data(), y.data(), sums.data());
  emu::configure({});
  return sums.host()[0];
}

// 1 + 2^-24 + 2^-24 is 1 + 2^-23; terms cut off 25 bits behind the largest keep it.
TEST(Tensor, SumsOnceAndRoundsOnce) {
  const float small = 0x1p-12f;
  EXPECT_EQ(dot<__half>({small, small}, {small, small}, 1.0f, false), 1 + 0x1p-23f);
  EXPECT_EQ(dot<__half>({small, small}, {small, small}, 1.0f, true), 1 + 0x1p-23f);
  // One alone is half a unit: to even, and cut off.
  EXPECT_EQ(dot<__half>({small}, {small}, 1 + 0x1p-23f, false), 1 + 0x1p-22f);
  EXPECT_EQ(dot<__half>({small}, {small}, 1 + 0x1p-23f, true), 1 + 0x1p-23f);
  EXPECT_EQ(dot<__half>({small}, {-small}, -1 - 0x1p-23f, true), -1 - 0x1p-23f);  // toward zero
}
TEST(Tensor, FaithfulCutsWhatIsFarBelowTheLargest) {
  // 2^-26 is below the 25 bits kept, four times of it too; 2^-25 is the last that counts.
  const float tiny = 0x1p-13f, less = 0x1p-12f;
  EXPECT_EQ(dot<__half>({tiny, tiny, tiny, tiny}, {tiny, tiny, tiny, tiny}, 1 - 0x1p-24f, false), 1.0f);
  EXPECT_EQ(dot<__half>({tiny, tiny, tiny, tiny}, {tiny, tiny, tiny, tiny}, 1 - 0x1p-24f, true), 1.0f);
  EXPECT_EQ(dot<__half>({tiny, tiny, tiny, tiny}, {tiny, tiny, tiny, tiny}, 1.0f, true), 1.0f);
  EXPECT_EQ(dot<__half>({less, tiny, tiny, tiny, tiny}, {less, tiny, tiny, tiny, tiny}, 1.0f, false), 1 + 0x1p-23f);
  EXPECT_EQ(dot<__half>({less, tiny, tiny, tiny, tiny}, {less, tiny, tiny, tiny, tiny}, 1.0f, true), 1.0f);
}
TEST(Tensor, InfinityAndNaN) {
  const float inf = INFINITY;
  for (const bool faithful : {false, true}) {
    EXPECT_EQ(dot<__half>({inf}, {1.0f}, 1.0f, faithful), inf);
    EXPECT_EQ(dot<__half>({1.0f}, {-1.0f}, -inf, faithful), -inf);
    EXPECT_EQ(bits(dot<__half>({inf}, {0.0f}, 1.0f, faithful)), 0x7fffffffu);
    EXPECT_EQ(bits(dot<__half>({inf}, {1.0f}, -inf, faithful)), 0x7fffffffu);
    EXPECT_EQ(bits(dot<__nv_bfloat16>({NAN}, {0.0f}, 0.0f, faithful)), 0x7fffffffu);
    EXPECT_EQ(dot<__nv_bfloat16>({0x1p127f, 0x1p127f}, {1.0f, 1.0f}, 0.0f, faithful), inf);
    EXPECT_EQ(dot<__nv_bfloat16>({0x1p127f, -0x1p127f}, {4.0f, 4.0f}, 0x1p120f, faithful), 0x1p120f);
    EXPECT_EQ(dot<__half>({0x1p-24f}, {0x1p-24f}, 0.0f, faithful), 0x1p-48f);  // denormals count
    EXPECT_EQ(bits(dot<__half>({0x1p-24f}, {0x1p-24f}, __half(0x1p-24f), faithful)), bits(0x1p-24f));
  }
}

// The environment sets the mode for good.
TEST(Tensor, TheEnvironmentAsksForFaithfulSums) {
  const float small = 0x1p-12f;
  EXPECT_EQ(setenv("CAIRN_EMU_TENSOR", "faithful", 1), 0);
  EXPECT_EQ(dot<__half>({small}, {small}, 1 + 0x1p-23f, false), 1 + 0x1p-23f);
  EXPECT_EQ(unsetenv("CAIRN_EMU_TENSOR"), 0);
  EXPECT_EQ(dot<__half>({small}, {small}, 1 + 0x1p-23f, false), 1 + 0x1p-22f);
}

TEST(Tensor, Tf32IsRoundedAwayFromZeroAtTies) {
  EXPECT_EQ(to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f);
  EXPECT_EQ(to_tf32(-1 - 0x1p-11f), -1 - 0x1p-10f);
  EXPECT_EQ(to_tf32(1 + 0x1p-11f - 0x1p-23f), 1.0f);
  EXPECT_EQ(to_tf32(0x1.fffffep127f), INFINITY);
  EXPECT_EQ(to_tf32(-INFINITY), -INFINITY);
  EXPECT_EQ(bits(to_tf32(NAN)), 0x7fffffffu);
  EXPECT_EQ(wmma::__float_to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f);
}

// From here on: calls that no GPU takes. Each ends the launch with a report that names the line.
enum class Wrong {
  row_misaligned,
  row_global,
  lanes_return,
  two_places,
  other_call,
  tile_misaligned,
  tile_ld,
  two_tiles,
  two_stores
};
template <Wrong wrong> __global__ void refused(float* in) {
  alignas(32) __shared__ float tile[32][8];
  const int t = static_cast<int>(threadIdx.x);
  std::uint32_t words[4] = {}, pair[2] = {};
  float sums[4] = {};
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  if (wrong == Wrong::row_misaligned) load_matrices(words, &tile[t][t == 9 ? 1 : 0]);
  if (wrong == Wrong::row_global) load_matrices(pair, t == 15 ? in : tile[t]);
  if (wrong == Wrong::lanes_return && t == 30) return;
  if (wrong == Wrong::lanes_return || (wrong == Wrong::two_places && t < 16)) mma<__half>(sums, words, pair);
  if (wrong == Wrong::two_places && t >= 16) mma<__half>(sums, words, pair);
  if (wrong == Wrong::other_call && t < 16) mma<__half>(sums, words, pair);
  if (wrong == Wrong::other_call && t >= 16) __syncwarp();
  if (wrong == Wrong::tile_misaligned) wmma::load_matrix_sync(a, in + 4, 8);
  if (wrong == Wrong::tile_ld) wmma::load_matrix_sync(a, in, 10);
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0.0f);
  if (wrong == Wrong::two_stores) wmma::store_matrix_sync(in + t / 31 * 8, c, 16, wmma::mem_row_major);
  if (wrong == Wrong::two_tiles) wmma::load_matrix_sync(a, in + t / 31 * 8, 8);
}
template <Wrong wrong> void expect_refused(const std::string& words, unsigned threads = 32) {
  const Array<float> in(1024);
  const Status status = launch({1}, threads, 0, nullptr, refused<wrong>, in.data());
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("tensor_test.cu:"), std::string::npos) << status.message();
  (void)cudaGetLastError();
}
TEST(Tensor, WhatNoGpuTakesIsReported) {
  expect_refused<Wrong::row_misaligned>("in thread 9: the address of a row is no multiple of 16");
  expect_refused<Wrong::row_global>("in thread 15: the address of a row is not in shared memory");
  expect_refused<Wrong::lanes_return>("is for all 32 lanes, and lane 30 is not there");
  expect_refused<Wrong::two_places>("but lane ");
  expect_refused<Wrong::other_call>("__syncwarp at ");
  expect_refused<Wrong::tile_misaligned>("the address of a tile is no multiple of 32");
  expect_refused<Wrong::tile_ld>("the leading dimension 10 is no multiple of 16 bytes");
  expect_refused<Wrong::two_tiles>("lanes 0 and 31 give different addresses or leading dimensions");
  expect_refused<Wrong::two_stores>("lanes 0 and 31 give different addresses or leading dimensions");
}
// A block whose last warp is not whole.
TEST(Tensor, EveryLaneMustExist) {
  expect_refused<Wrong::row_misaligned>("warp 1: load_matrices at", 40);
  expect_refused<Wrong::tile_ld>("the leading dimension", 40);
}

}  // namespace
}  // namespace cairn::emu_test
