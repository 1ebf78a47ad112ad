// Every operation of a warp or a warpgroup in device/, on very many tiles: the emulator against a plain reference,
// and a GPU against the emulator. CAIRN_TEST_DEVICE=gpu does the second.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "emu/machine/settings.hpp"
#include "tests/device/draw.hpp"
#include "tests/device/reference.hpp"

namespace cairn::device_ops {

const Entry* gpu = nullptr;

namespace {

bool multiplies(const Op& op) { return op.what == What::mma || op.what == What::wmma || op.what == What::wgmma; }

Bytes run(const Entry& entry, int op, int tiles, const Bytes& in) {
  Bytes out(static_cast<std::size_t>(tiles) * out_bytes(ops[op]));
  const char* wrong = entry.run(op, tiles, in.data(), out.data());
  EXPECT_EQ(wrong, nullptr) << ops[op].name << ": " << wrong;
  return out;
}
Bytes emulated(int op, int tiles, const Bytes& in, Rounding rounding = Rounding::wide) {
  emu::configure({.faithful_tensor = rounding == Rounding::faithful});
  Bytes out = run(*cairn_device_ops_emulated(), op, tiles, in);
  emu::configure({});
  return out;
}

// How many elements differ, and the first of them in words.
std::string difference(const Op& op, const Bytes& got, const Bytes& want) {
  if (got == want) return "";
  const std::size_t size = multiplies(op) ? static_cast<std::size_t>(sum_bytes(op.half_out)) : 2;
  std::size_t count = 0, first = 0;
  for (std::size_t at = got.size(); at >= size; at -= size) {
    if (std::memcmp(&got[at - size], &want[at - size], size) != 0) ++count, first = at - size;
  }
  std::uint32_t a = 0, b = 0;
  std::memcpy(&a, &got[first], size);
  std::memcpy(&b, &want[first], size);
  char text[160];
  const auto tile = first / static_cast<std::size_t>(out_bytes(op));
  std::snprintf(text, sizeof text, "%zu of %zu differ, first in tile %zu at byte %zu: %08x, wanted %08x", count,
                got.size() / size, tile, first % static_cast<std::size_t>(out_bytes(op)), a, b);
  return text;
}

double sum_at(const Op& op, const Bytes& bytes, std::size_t i) {
  if (op.half_out) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &bytes[2 * i], 2);
    return static_cast<double>(f16::from_bits(bits));
  }
  float x = 0;
  std::memcpy(&x, &bytes[4 * i], 4);
  return static_cast<double>(x);
}

// Several of these operations are made of one tile.
int tiles_of(const Op& op) {
  // A warpgroup's are large, and each is multiplied in all orders of pieces.
  if (op.what == What::wgmma) return (gpu != nullptr ? 400000 : 40000) / (op.kind.shape.n + 24);
  const int uses = op.what == What::operands ? 16 : op.what == What::sums ? 4 : op.what == What::wmma ? 8 : 1;
  return (gpu != nullptr ? 100000 : 25000) / uses;  // a million in all, or four
}

class OnEmulator : public testing::TestWithParam<int> {};

TEST_P(OnEmulator, IsWhatTheReferenceSays) {
  const Op& op = ops[GetParam()];
  if (!multiplies(op)) {
    const Bytes in = draw_tiles(op, tiles_of(op), Data::bits, 1);
    EXPECT_EQ(difference(op, emulated(GetParam(), tiles_of(op), in), expected(op, tiles_of(op), in, Rounding::wide)),
              "");
    return;
  }
  for (const Data data : {Data::integers, Data::near_one, Data::finite, Data::special, Data::subnormal}) {
    const int tiles = tiles_of(op) / (data == Data::near_one ? 2 : 8);
    const Bytes in = draw_tiles(op, tiles, data, 1);
    EXPECT_EQ(difference(op, emulated(GetParam(), tiles, in), expected(op, tiles, in, Rounding::wide)), "")
        << op.name << ", " << name(data);
    const int fewer = std::max(1, tiles / 10);
    const Rounding faithful = Rounding::faithful;
    EXPECT_EQ(difference(op, emulated(GetParam(), fewer, in, faithful), expected(op, fewer, in, faithful)), "")
        << op.name << ", " << name(data) << ", faithful";
  }
}

// How many sums have other bits, and of how many of them only the sign of a zero is another.
struct Differing {
  std::size_t all = 0, signs = 0;
};
Differing differing(const Op& op, const Bytes& x, const Bytes& y) {
  const auto size = static_cast<std::size_t>(sum_bytes(op.half_out));
  Differing count;
  for (std::size_t i = 0; i < x.size() / size; ++i) {
    if (std::memcmp(&x[size * i], &y[size * i], size) == 0) continue;
    ++count.all;
    count.signs += sum_at(op, x, i) == sum_at(op, y, i);
  }
  return count;
}

// What Data::subnormal is for: to tell a GPU that aligns products by their own size, or by the exponents of zeros as
// well, from one that aligns them by the exponents of their factors as stored. A sum in f16 loses most of what those
// disagree in when it is rounded.
TEST_P(OnEmulator, SubnormalFactorsTellTheWaysToAlignApart) {
  const Op& op = ops[GetParam()];
  if (!multiplies(op)) return;
  const int tiles = std::max(1, tiles_of(op) / 80);
  const Bytes in = draw_tiles(op, tiles, Data::subnormal, 3);
  const Bytes stored = expected(op, tiles, in, Rounding::faithful);
  const std::size_t enough = stored.size() / (op.half_out ? 20000 : 200);
  for (const Rounding other : {Rounding::normalised, Rounding::zeros})
    EXPECT_GT(differing(op, stored, expected(op, tiles, in, other)).all, enough) << op.name;
}

std::string name_of(const testing::TestParamInfo<int>& info) {
  std::string name = ops[info.param].name;
  std::erase(name, ',');
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ops, OnEmulator, testing::Range(0, kOps), name_of);

TEST(Fragments, AreThoseOfTheManual) {
  for (const Kind& kind : fragment::kinds) {
    for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
      for (int at = 0; at < 32 * held(kind, operand); ++at) {
        const int lane = at / held(kind, operand), i = at % held(kind, operand);
        EXPECT_EQ(place(kind, operand, lane, i), manual_place(kind, operand, lane, i))
            << static_cast<int>(kind.op) << static_cast<int>(kind.type) << " " << kind.shape.m << " lane " << lane
            << " element " << i;
      }
    }
  }
}
TEST(Fragments, OfAWarpgroupAreThoseOfTheManual) {
  for (const Type type : {Type::f16, Type::bf16, Type::tf32, Type::e4m3}) {
    const Kind kind = wgmma_of(type, 256);
    for (const Operand operand : {Operand::a, Operand::c}) {
      for (int at = 0; at < 128 * held(kind, operand); ++at) {
        const int thread = at / held(kind, operand), i = at % held(kind, operand);
        EXPECT_EQ(place(kind, operand, thread, i), manual_place(kind, operand, thread, i))
            << static_cast<int>(type) << " thread " << thread << " element " << i;
      }
    }
  }
}

class OnGpu : public testing::TestWithParam<int> {};

TEST_P(OnGpu, MovesAndAddsAsTheEmulator) {
  const Op& op = ops[GetParam()];
  if (of_hopper(op) && !gpu->hopper()) GTEST_SKIP() << "this GPU has no " << op.name;
  const int tiles = tiles_of(op);
  const Bytes in = draw_tiles(op, tiles, multiplies(op) ? Data::integers : Data::bits, 2);
  EXPECT_EQ(difference(op, run(*gpu, GetParam(), tiles, in), emulated(GetParam(), tiles, in)), "") << op.name;
}

// Rounds like the emulator's faithful mode, or nearly: how nearly is printed.
TEST_P(OnGpu, RoundsNearlyAsTheFaithfulEmulator) {
  const Op& op = ops[GetParam()];
  if (!multiplies(op)) return;
  if (of_hopper(op) && !gpu->hopper()) GTEST_SKIP() << "this GPU has no " << op.name;
  for (const Data data : {Data::near_one, Data::finite, Data::special, Data::subnormal}) {
    const int tiles = tiles_of(op) / 10;
    const Bytes in = draw_tiles(op, tiles, data, 3);
    const Bytes want = emulated(GetParam(), tiles, in, Rounding::faithful), got = run(*gpu, GetParam(), tiles, in);
    const std::vector<double> most = slack(op, tiles, in);
    const auto size = static_cast<std::size_t>(sum_bytes(op.half_out));
    std::size_t mismatches = 0, bits = 0, outside = 0;
    for (std::size_t i = 0; i < most.size(); ++i) {
      if (std::memcmp(&got[size * i], &want[size * i], size) == 0) continue;
      ++mismatches;
      for (std::size_t byte = 0; byte < size; ++byte)
        bits += static_cast<std::size_t>(
            std::popcount(static_cast<unsigned>(got[size * i + byte] ^ want[size * i + byte])));
      const double end = op.half_out ? 0x1p16 : 0x1p128;  // an infinity stands for what is just too large
      const auto number = [&](const Bytes& from) {
        const double x = sum_at(op, from, i);
        return std::isinf(x) ? std::copysign(end, x) : x;
      };
      const double a = number(got), b = number(want);
      if (std::isnan(a) != std::isnan(b) || std::fabs(a - b) > most[i]) ++outside;
    }
    std::printf("%s, %s: %zu of %zu elements differ, %zu bits of %zu\n", op.name, name(data), mismatches, most.size(),
                bits, 8 * got.size());
    EXPECT_EQ(outside, 0u) << op.name << ", " << name(data) << ": " << difference(op, got, want);
    if (data != Data::subnormal) continue;
    const auto [stored, signs] = differing(op, got, want);
    const auto other = [&](Rounding way) { return differing(op, got, expected(op, tiles, in, way)).all; };
    std::printf(
        "probe: %s: stored %zu of %zu differ, normalised %zu, zeros too %zu; stored but for zeros' signs %zu\n",
        op.name, stored, most.size(), other(Rounding::normalised), other(Rounding::zeros), stored - signs);
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, OnGpu, testing::Range(0, kOps), name_of);

// Null where there is no GPU, or no CUDA in this build.
const Entry* find_gpu() {
#ifdef CAIRN_DEVICE_OPS_GPU
  void* loaded = dlopen(CAIRN_DEVICE_OPS_GPU, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return nullptr;
  const auto entry = reinterpret_cast<decltype(&cairn_device_ops_gpu)>(dlsym(loaded, "cairn_device_ops_gpu"));
  return entry != nullptr && entry()->present() ? entry() : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace
}  // namespace cairn::device_ops

int main(int argc, char** argv) {
  const char* device = std::getenv("CAIRN_TEST_DEVICE");
  const bool on_gpu = device != nullptr && std::string_view(device) == "gpu";
  if (on_gpu) {
    cairn::device_ops::gpu = cairn::device_ops::find_gpu();
    if (cairn::device_ops::gpu == nullptr) {
      std::cout << "skipped: no GPU, or no CUDA in this build\n";
      return 77;
    }
  }
  testing::GTEST_FLAG(filter) = on_gpu ? "*OnGpu*" : "-*OnGpu*";
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
