// stmatrix on the emulator: where each register is stored, that ldmatrix reads it back, and invalid row addresses.
#include <string>

#include "device/ldmatrix.hpp"
#include "device/stmatrix.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// Rows of 16 bytes, matrix i's row r at row (8 i + r) * 5 % 32 of memory. A register's words tell whose they are.
template <int count, bool transposed> __global__ void store(std::uint16_t* out) {
  alignas(16) __shared__ std::uint16_t memory[32][8];
  const int t = static_cast<int>(threadIdx.x);
  for (std::uint16_t& word : memory[t]) word = 0xffff;
  __syncwarp();
  std::uint32_t from[count];
  for (int i = 0; i < count; ++i) from[i] = static_cast<std::uint32_t>(i << 8 | t << 1) * 0x10001u + 0x10000u;
  void* row = memory[t * 5 % 32];
  if constexpr (transposed) {
    store_transposed(row, from);
  } else {
    store_matrices(row, from);
  }
  __syncwarp();
  for (int i = 0; i < 8; ++i) out[t * 8 + i] = memory[t][i];
}
template <int count, bool transposed> void expect_stored() {
  const Array<std::uint16_t> out(256);
  run({1}, 32, 0, store<count, transposed>, out.data());
  std::vector<std::uint16_t> want(256, 0xffff);
  for (int at = 0; at < count * 64; ++at) {
    const int matrix = at / 64, row = at / 8 % 8, col = at % 8;
    const int lane = transposed ? col * 4 + row / 2 : row * 4 + col / 2, half = transposed ? row % 2 : col % 2;
    want[(8 * matrix + row) * 5 % 32 * 8 + col] = static_cast<std::uint16_t>(matrix << 8 | lane << 1 | half);
  }
  EXPECT_EQ(out.host(), want) << count << (transposed ? " transposed" : "");
}
TEST(Stmatrix, StoresWhereTheManualSays) {
  expect_stored<1, false>();
  expect_stored<2, false>();
  expect_stored<4, false>();
  expect_stored<1, true>();
  expect_stored<2, true>();
  expect_stored<4, true>();
}

template <bool transposed> __global__ void there_and_back(std::uint32_t* out) {
  alignas(16) __shared__ std::uint32_t memory[32][4];
  const int t = static_cast<int>(threadIdx.x);
  std::uint32_t words[4], back[4];
  for (int i = 0; i < 4; ++i) words[i] = static_cast<std::uint32_t>(t * 4 + i) * 0x9e3779b9u;
  if constexpr (transposed) {
    store_transposed(memory[t], words);
    __syncwarp();
    load_transposed(back, memory[t]);
  } else {
    store_matrices(memory[t], words);
    __syncwarp();
    load_matrices(back, memory[t]);
  }
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = back[i];
}
TEST(Stmatrix, IsTheWayBackOfLdmatrix) {
  std::vector<std::uint32_t> want(128);
  for (std::uint32_t i = 0; i < 128; ++i) want[i] = i * 0x9e3779b9u;
  const Array<std::uint32_t> out(128);
  run({1}, 32, 0, there_and_back<false>, out.data());
  EXPECT_EQ(out.host(), want);
  run({1}, 32, 0, there_and_back<true>, out.data());
  EXPECT_EQ(out.host(), want);
}

enum class Wrong { misaligned, global, lane_returns };
template <Wrong wrong> __global__ void refused(std::uint32_t* out) {
  alignas(16) __shared__ std::uint32_t memory[33][4];
  const int t = static_cast<int>(threadIdx.x);
  const std::uint32_t words[2] = {};
  if (wrong == Wrong::lane_returns && t == 30) return;
  if (wrong == Wrong::global) store_matrices(t == 15 ? out : memory[t], words);
  if (wrong != Wrong::global) store_matrices(&memory[t][wrong == Wrong::misaligned && t == 9 ? 1 : 0], words);
}
template <Wrong wrong> void expect_refused(const std::string& words) {
  const Array<std::uint32_t> out(16);
  const Status status = launch({1}, 32, 0, nullptr, refused<wrong>, out.data());
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("store_matrices at tests/emu/stmatrix_test.cu:"), std::string::npos);
  (void)cudaGetLastError();
}
TEST(Stmatrix, WhatNoGpuTakesIsReported) {
  expect_refused<Wrong::misaligned>("in thread 9: the address of a row is no multiple of 16");
  expect_refused<Wrong::global>("in thread 15: the address of a row is not in shared memory");
  expect_refused<Wrong::lane_returns>("is for all 32 lanes, and lane 30 is not there");
}

}  // namespace
}  // namespace cairn::emu_test
