// wgmma on the emulator: every width and type, every layout of an operand, chains and groups, all by numbers that
// are exact; and what it says when a call is wrong.
#include <algorithm>
#include <cmath>
#include <string>

#include "cairn/numbers.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// An operand's memory, as device/wgmma.hpp tells it: two or more steps of k.
struct Layout {
  Major major;
  Swizzle swizzle;
  int rows, size;  // of A, or columns of B; bytes of an element

  int line() const { return 16 << static_cast<int>(swizzle); }
  bool plain() const { return swizzle == Swizzle::none; }
  int k() const { return (major == Major::mn || plain() ? 64 : line()) / size; }
  int steps() const { return k() * size / 32; }
  int stride() const {
    if (major == Major::k) return 8 * line();
    return plain() ? k() / 8 * 128 : 8 * line();
  }
  int lead() const {
    if (major == Major::k) return plain() ? rows / 8 * 128 : 16;
    return plain() ? 128 : k() / 8 * stride();
  }
  int step() const { return 2 * (major == Major::k ? (plain() ? lead() : 16) : plain() ? lead() : stride()); }
  int bytes() const { return (rows + 63) / 64 * 64 * 64 * 2; }

  // Which of its neighbours a piece changes places with, in line number `at` of eight.
  int exchanged(int piece, int at) const {
    const int by[] = {0, at / 4 % 2, at / 2 % 4, at};
    return piece ^ by[static_cast<int>(swizzle)];
  }
  int place(int row, int l) const {
    if (major == Major::k) {
      const int byte = l * size, piece = byte / 16;
      if (plain()) return piece * lead() + row / 8 * stride() + row % 8 * 16 + byte % 16;
      return row / 8 * stride() + row % 8 * line() + exchanged(piece, row % 8) * 16 + byte % 16;
    }
    if (plain()) return row / 8 * stride() + l / 8 * lead() + l % 8 * 16 + row % 8 * 2;
    const int wide = line() / 2;  // rows
    return row / wide * lead() + l / 8 * stride() + l % 8 * line() + exchanged(row % wide / 8, l % 8) * 16 +
           row % 8 * 2;
  }
};

template <class In> struct Bits;
template <> struct Bits<__half> {
  static std::uint32_t of(float x) { return f16(x).bits; }
  static constexpr int size = 2;
};
template <> struct Bits<__nv_bfloat16> {
  static std::uint32_t of(float x) { return bf16(x).bits; }
  static constexpr int size = 2;
};
template <> struct Bits<Tf32> {
  static std::uint32_t of(float x) {
    return std::bit_cast<std::uint32_t>(x) | 0x1abcu;
  }  // with what is not looked at
  static constexpr int size = 4;
};
template <> struct Bits<E4m3> {
  static std::uint32_t of(float x) { return e4m3(x).bits; }
  static constexpr int size = 1;
};

// A matrix of rows x k: a[row * k + l].
template <class In> std::vector<unsigned char> laid_out(const Layout& layout, const std::vector<float>& numbers) {
  std::vector<unsigned char> memory(static_cast<std::size_t>(layout.bytes()), 0xff);
  for (int i = 0; i < static_cast<int>(numbers.size()); ++i) {
    const std::uint32_t bits = Bits<In>::of(numbers[i]);
    std::memcpy(&memory[layout.place(i / layout.k(), i % layout.k())], &bits, Bits<In>::size);
  }
  return memory;
}

struct Plan {
  Swizzle a_swizzle, b_swizzle;
  int a_stride, a_lead, a_step, a_bytes, b_stride, b_lead, b_step, b_bytes, steps;
  bool add;
};

// Not part of the kernels, which are many.
__device__ [[gnu::noinline]] void copy(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = static_cast<int>(threadIdx.x); i < bytes; i += static_cast<int>(blockDim.x)) to[i] = from[i];
}
__device__ [[gnu::noinline]] void move_sums(float* sums, float* c, int n, bool store) {
  const int t = static_cast<int>(threadIdx.x) % 128, row = t / 32 * 16 + t % 32 / 4;
  for (int i = 0; i < n / 2; ++i) {
    float& at = c[(row + i / 2 % 2 * 8) * n + i / 4 * 8 + t % 4 * 2 + i % 2];
    store ? at = sums[i] : sums[i] = at;
  }
}

template <class In, int n, Major a_major, Major b_major, bool in_registers>
__global__ void product(Plan plan, const unsigned char* a, const unsigned char* b, const std::uint32_t* registers,
                        float* c) {
  alignas(1024) extern __shared__ unsigned char memory[];
  copy(memory, a, plan.a_bytes);
  copy(memory + plan.a_bytes, b, plan.b_bytes);
  fence_proxy_async();
  __syncthreads();
  float sums[n / 2];
  move_sums(sums, c, n, false);
  const MatrixDescriptor x = matrix_descriptor(memory, plan.a_swizzle, plan.a_stride, plan.a_lead);
  const MatrixDescriptor y = matrix_descriptor(memory + plan.a_bytes, plan.b_swizzle, plan.b_stride, plan.b_lead);
  std::uint32_t held[4][4];
  for (int step = 0; in_registers && step < plan.steps; ++step) {
    for (int i = 0; i < 4; ++i) held[step][i] = registers[(step * 128 + static_cast<int>(threadIdx.x)) * 4 + i];
  }
  wgmma_fence_operand(sums);
  wgmma_fence();
  for (int step = 0; step < plan.steps; ++step) {
    const bool add = plan.add || step > 0;
    if constexpr (in_registers) {
      wgmma<In, n, b_major>(sums, held[step], y.at(step * plan.b_step), add);
    } else {
      wgmma<In, n, a_major, b_major>(sums, x.at(step * plan.a_step), y.at(step * plan.b_step), add);
    }
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_fence_operand(sums);
  move_sums(sums, c, n, true);
}

std::vector<float> small_integers(int count, std::uint64_t seed) {
  Values values(seed);
  std::vector<float> all(static_cast<std::size_t>(count));
  for (float& x : all) x = static_cast<float>(static_cast<int>(values.next() % 9) - 4);
  return all;
}

// Which row and k of A register i / size of a thread holds, from the manual's figures.
struct At {
  int row, l;
};
At of_register(int size, int thread, int i) {
  const int lane = thread % 32, each = 4 / size, word = i / each, in = i % each;
  return {thread / 32 * 16 + lane / 4 + word % 2 * 8, (lane % 4 + word / 2 * 4) * each + in};
}
template <class In> std::vector<std::uint32_t> as_registers(const std::vector<float>& a, int k, int steps) {
  constexpr int size = Bits<In>::size;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(steps) * 512);
  for (int at = 0; at < steps * 128 * 16 / size; ++at) {
    const int step = at / (128 * 16 / size), thread = at / (16 / size) % 128;
    const At of = of_register(size, thread, at % (16 / size));
    const std::uint32_t bits = Bits<In>::of(a[of.row * k + step * 32 / size + of.l]);
    std::memcpy(reinterpret_cast<unsigned char*>(words.data()) + at * size, &bits, size);
  }
  return words;
}

template <class In, int n, Major a_major = Major::k, Major b_major = Major::k, bool in_registers = false>
void expect_product(Swizzle a_swizzle, Swizzle b_swizzle, bool add) {
  constexpr int size = Bits<In>::size;
  const Layout x{a_major, a_swizzle, 64, size}, y{b_major, b_swizzle, n, size};
  const int steps = std::min(x.steps(), y.steps()), k = steps * 32 / size;
  std::vector<float> a = small_integers(64 * x.k(), n), b = small_integers(n * y.k(), n + 1),
                     c = small_integers(64 * n, n + 2), want(c);
  for (int i = 0; i < 64 * n; ++i) {
    if (!add) want[i] = 0;
    for (int l = 0; l < k; ++l) want[i] += a[i / n * x.k() + l] * b[i % n * y.k() + l];
  }
  const Plan plan{a_swizzle,  b_swizzle, x.stride(), x.lead(),  x.step(), x.bytes(),
                  y.stride(), y.lead(),  y.step(),   y.bytes(), steps,    add};
  const Array<unsigned char> near_a(laid_out<In>(x, a)), near_b(laid_out<In>(y, b));
  const Array<std::uint32_t> registers(as_registers<In>(a, x.k(), in_registers ? steps : 0));
  const Array<float> sums(c);
  run({1}, 128, static_cast<std::size_t>(x.bytes() + y.bytes()), product<In, n, a_major, b_major, in_registers>, plan,
      near_a.data(), near_b.data(), registers.data(), sums.data());
  EXPECT_EQ(sums.host(), want) << "n " << n << ", size " << size << ", swizzles " << static_cast<int>(a_swizzle)
                               << " and " << static_cast<int>(b_swizzle);
}

template <class In, int n = 8> void expect_all_widths() {
  expect_product<In, n>(Swizzle::b128, Swizzle::b128, n % 16 == 0);
  if constexpr (n < 256) expect_all_widths<In, n + 8>();
}
TEST(Wgmma, MultipliesEveryWidthOfHalf) { expect_all_widths<__half>(); }
TEST(Wgmma, MultipliesEveryWidthOfBfloat16) { expect_all_widths<__nv_bfloat16>(); }
TEST(Wgmma, MultipliesEveryWidthOfTf32) { expect_all_widths<Tf32>(); }
TEST(Wgmma, MultipliesEveryWidthOfE4m3) { expect_all_widths<E4m3>(); }

constexpr Swizzle kSwizzles[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};

template <class In, int n, Major a_major, Major b_major> void expect_all_swizzles() {
  for (const Swizzle of_a : kSwizzles) {
    for (const Swizzle of_b : kSwizzles) expect_product<In, n, a_major, b_major>(of_a, of_b, true);
  }
}
TEST(Wgmma, ReadsOperandsAlongKInEveryOrder) {
  expect_all_swizzles<__half, 24, Major::k, Major::k>();
  expect_all_swizzles<Tf32, 40, Major::k, Major::k>();
  expect_all_swizzles<E4m3, 136, Major::k, Major::k>();
}
TEST(Wgmma, ReadsOperandsAlongTheRowsInEveryOrder) {
  expect_all_swizzles<__half, 256, Major::mn, Major::mn>();
  expect_all_swizzles<__half, 24, Major::k, Major::mn>();
  expect_all_swizzles<__nv_bfloat16, 72, Major::mn, Major::k>();
  expect_all_swizzles<__nv_bfloat16, 128, Major::mn, Major::mn>();
}
TEST(Wgmma, TakesAFromRegisters) {
  expect_product<__half, 64, Major::k, Major::k, true>(Swizzle::b128, Swizzle::b128, false);
  expect_product<__nv_bfloat16, 16, Major::k, Major::mn, true>(Swizzle::b64, Swizzle::b128, true);
  expect_product<Tf32, 256, Major::k, Major::k, true>(Swizzle::b128, Swizzle::b64, true);
  expect_product<E4m3, 8, Major::k, Major::k, true>(Swizzle::b128, Swizzle::b128, true);
}
// One sum of 32 products: row 0 of A, column 0 of B.
float dot(const std::vector<float>& a, const std::vector<float>& b, float c, bool faithful) {
  const Layout x{Major::k, Swizzle::b32, 64, 1}, y{Major::k, Swizzle::b32, 8, 1};
  std::vector<float> rows(64 * 32), cols(8 * 32), sums(64 * 8);
  std::copy(a.begin(), a.end(), rows.begin());
  std::copy(b.begin(), b.end(), cols.begin());
  sums[0] = c;
  const Plan plan{x.swizzle,  y.swizzle, x.stride(), x.lead(),  x.step(), x.bytes(),
                  y.stride(), y.lead(),  y.step(),   y.bytes(), 1,        true};
  const Array<unsigned char> near_a(laid_out<E4m3>(x, rows)), near_b(laid_out<E4m3>(y, cols));
  const Array<float> result(sums);
  emu::configure({.faithful_tensor = faithful});
  run({1}, 128, static_cast<std::size_t>(x.bytes() + y.bytes()), product<E4m3, 8, Major::k, Major::k, false>, plan,
      near_a.data(), near_b.data(), nullptr, result.data());
  emu::configure({});
  return result.host()[0];
}
TEST(Wgmma, FaithfulSumsOfE4m3KeepThirteenBitsAfterTheBinaryPoint) {
  EXPECT_EQ(dot({1}, {1}, 0x1p-13f, true), 1 + 0x1p-13f);
  EXPECT_EQ(dot({1}, {1}, 0x1.8p-13f, true), 1 + 0x1p-13f);
  EXPECT_EQ(dot({1}, {1}, 0x1.8p-13f, false), 1 + 0x1.8p-13f);
  EXPECT_EQ(dot({-1}, {1}, -0x1.8p-13f, true), -1 - 0x1p-13f);  // toward zero
  EXPECT_EQ(dot({1, 1}, {1, 1}, 0x1p-13f, true), 2);            // and 13 after that of the sum
  // Numbers below the smallest normal one, 2^-6, are aligned as if they were of its size.
  EXPECT_EQ(dot({0x1p-9f}, {0x1p-9f}, 0x1p-26f, true), 0x1p-18f);
  EXPECT_EQ(dot({0x1p-9f}, {0x1p-9f}, 0x1p-25f, true), 0x1p-18f + 0x1p-25f);
}
TEST(Wgmma, IsTheSameInEveryOrderOfThreads) {
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    emu::configure({.seed = seed});
    expect_product<__half, 16>(Swizzle::b128, Swizzle::b128, true);
  }
  emu::configure({});
}

}  // namespace
}  // namespace cairn::emu_test
