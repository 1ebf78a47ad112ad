// Batch invariance: rows (or columns) of C whose bits depend neither on how many there are nor on what else is in the
// batch. The same program runs on the emulator and on a GPU: CAIRN_TEST_DEVICE says which, emu (the default) or gpu.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "cairn/numbers.hpp"
#include "lab/contender_library.hpp"
#include "lab/contender_rung.hpp"
#include "lab/random.hpp"
#include "src/dispatch/candidate.hpp"

namespace cairn::lab {
namespace {

std::shared_ptr<runtime::Machine> machine;  // opened by main
int device = -2;

using Bytes = std::vector<std::byte>;

Problem parsed(const std::string& text) {
  Problem p;
  EXPECT_TRUE(parse(text, p).ok()) << text;
  return p;
}

// op(A), op(B) and C with values that no order of summation leaves alone: element (i, j) of batch b depends on nothing
// else, so that a smaller problem has the first rows and columns of a larger one.
double value(int which, std::int64_t b, std::int64_t i, std::int64_t j) {
  Random random(static_cast<std::uint64_t>(((which * 7 + b) * 4099 + i) * 8209 + j));
  return static_cast<double>(random.integer(-1000, 1000)) / 700;
}

void put(Type type, Bytes& to, std::int64_t at, double x) {
  with_type(type, [&]<class T>() {
    const T element(static_cast<T>(x));
    std::memcpy(to.data() + at * static_cast<std::int64_t>(sizeof(T)), &element, sizeof(T));
  });
}

using Factor = double (*)(std::int64_t i, std::int64_t j);
double one(std::int64_t, std::int64_t) { return 1; }

Bytes matrix(int which, Type type, const Stored& s, bool lines_are_rows, std::int64_t batch, std::int64_t stride,
             Factor times = one) {
  Bytes all(static_cast<std::size_t>(((batch - 1) * stride + s.major * s.ld) * size_of(type)));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t line = 0; line < s.major; ++line)
      for (std::int64_t at = 0; at < s.minor; ++at)
        put(type, all, b * stride + line * s.ld + at,
            lines_are_rows ? value(which, b, line, at) * times(line, at)
                           : value(which, b, at, line) * times(at, line));
  return all;
}

// `offset` elements from where buffers begin. Elements of op(A) are `times` what they are else.
Bytes product(Contender& contender, const Problem& p, double beta, std::int64_t offset = 0, Factor times = one) {
  const bool row = p.order == Order::row;
  Bytes host[] = {matrix(0, p.in, p.a(), row == (p.op_a == Op::none), p.batch, p.stride_a, times),
                  matrix(1, p.in, p.b(), row == (p.op_b == Op::none), p.batch, p.stride_b),
                  matrix(2, p.out, p.c(), row, p.batch, p.stride_c)};
  runtime::Buffer buffers[3];
  void* at[3] = {};
  for (int i = 0; i < 3; ++i) {
    const auto before = static_cast<std::size_t>(offset * size_of(i < 2 ? p.in : p.out));
    EXPECT_TRUE(runtime::Buffer::make(machine, host[i].size() + before, buffers[i]).ok());
    at[i] = static_cast<std::byte*>(buffers[i].data()) + before;
    EXPECT_TRUE(machine->copy_in(at[i], host[i].data(), host[i].size(), nullptr).ok());
  }
  EXPECT_EQ(contender.refuses(p), "");
  EXPECT_TRUE(contender.prepare(p).ok());
  const Status ran = contender.run({p, 1.25, at[0], at[1], beta, at[2]}, nullptr);
  EXPECT_TRUE(ran.ok()) << ran.message();
  EXPECT_TRUE(machine->copy_out(host[2].data(), at[2], host[2].size(), nullptr).ok());
  return host[2];
}

// The bits of element (i, j) of product b.
std::string bits(const Problem& p, const Bytes& c, std::int64_t b, std::int64_t i, std::int64_t j) {
  const std::int64_t at = b * p.stride_c + (p.order == Order::row ? i * p.ldc + j : j * p.ldc + i);
  const auto size = static_cast<std::size_t>(size_of(p.out));
  return {reinterpret_cast<const char*>(c.data()) + static_cast<std::size_t>(at) * size, size};
}

// The first rows and columns that two problems have in common, of product b of the first and product 0 of the other.
std::int64_t differing(const Problem& p, const Bytes& c, const Problem& other, const Bytes& d) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < std::min(p.m, other.m); ++i)
    for (std::int64_t j = 0; j < std::min(p.n, other.n); ++j) count += bits(p, c, 0, i, j) != bits(other, d, 0, i, j);
  return count;
}

std::unique_ptr<Contender> library() {
  Contenders both;
  EXPECT_TRUE(add_library(device, machine, both).ok());
  return std::move(both[1]);  // gemm(), which plans each problem
}

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"f32 nn",      "f64 nt",       "tf32 nt",          "tf32 nn",
                                               "split nn",    "f16 nt",       "bf16 nn",          "bf16 tn",
                                               "bf16:f32 tt", "e4m3:bf16 nn", "e4m3fast:bf16 nt", "e4m3fast:f32 nn"};
  return all;
}

TEST(Invariant, ARowHasTheSameBitsWhateverMIs) {
  const auto gemm = library();
  for (const std::string& kind : kinds()) {
    for (const double beta : {0.0, 0.75}) {
      const auto sized = [&](std::int64_t m) {
        return parsed(kind + " invariant=rows " + std::to_string(m) + "x33x200");
      };
      const Problem all = sized(512);
      const Bytes most = product(*gemm, all, beta);
      std::vector<std::int64_t> sizes = {1,  2,  3,  7,  8,   15,  16,  17,  31,  33,
                                         63, 64, 65, 96, 127, 128, 129, 200, 257, 511};
      if (device >= 0 || kind == "f32 nn" || kind == "bf16 nn")
        for (std::int64_t m = 4; m < 512; ++m) sizes.push_back(m);
      for (const std::int64_t m : sizes) {
        const Problem p = sized(m);
        EXPECT_EQ(differing(p, product(*gemm, p, beta), all, most), 0) << p.brief() << ", beta " << beta;
      }
    }
  }
}

// Without the setting these are split along k, more often the fewer rows there are.
TEST(Invariant, DeepProductsAreNotSplit) {
  const auto gemm = library();
  for (const char* kind : {"bf16 nt", "tf32 nt", "e4m3fast:f32 nt"}) {
    const auto sized = [&](std::int64_t m) {
      return parsed(kind + (" invariant=rows " + std::to_string(m)) + "x64x6000");
    };
    const Problem all = sized(200);
    const Bytes most = product(*gemm, all, 0);
    for (const std::int64_t m : {1, 17, 64, 130}) {
      const Problem p = sized(m);
      EXPECT_EQ(differing(p, product(*gemm, p, 0), all, most), 0) << p.brief();
    }
  }
}

TEST(Invariant, AColumnHasTheSameBitsWhateverNIs) {
  const auto gemm = library();
  for (const char* kind : {"f32 nt", "bf16 nn", "bf16 nt order=column", "tf32 tn"}) {
    const auto sized = [&](std::int64_t n) {
      return parsed(kind + (" invariant=columns 21x" + std::to_string(n)) + "x150");
    };
    const Problem all = sized(300);
    const Bytes most = product(*gemm, all, 0.75);
    for (const std::int64_t n : {1, 5, 16, 64, 129, 256}) {
      const Problem p = sized(n);
      EXPECT_EQ(differing(p, product(*gemm, p, 0.75), all, most), 0) << p.brief();
    }
  }
}

TEST(Invariant, AProductHasTheSameBitsAloneAndInABatch) {
  const auto gemm = library();
  for (const char* kind : {"f32 nn", "bf16 nt", "bf16 nn order=column", "e4m3:bf16 nt"}) {
    const Problem alone = parsed(std::string(kind) + " 37x40x96 invariant=rows");
    const Problem among = parsed(std::string(kind) + " 37x40x96 batch=9 invariant=rows");
    EXPECT_EQ(differing(alone, product(*gemm, alone, 0), among, product(*gemm, among, 0)), 0) << among.brief();
  }
}

// Neither leading dimensions nor where matrices begin change a bit, though kernels store C by other ways then.
TEST(Invariant, AlignmentDoesNotMatter) {
  const auto gemm = library();
  for (const std::string& kind : kinds()) {
    const Problem packed = parsed(kind + " invariant=rows 70x64x128");
    const Bytes usual = product(*gemm, packed, 0.75);
    for (const std::int64_t above : {0, 1, 8})
      for (const std::int64_t offset : {0, 1}) {
        Problem p = packed;
        p.lda += above, p.ldb += above, p.ldc += above;
        EXPECT_EQ(differing(p, product(*gemm, p, 0.75, offset), packed, usual), 0)
            << p.brief() << ", " << offset << " elements off";
      }
  }
}

// One rung and one tile for every m, however deep the product is; without the setting there are several.
TEST(Invariant, ThePlanIsTheSameForEveryM) {
  Handle handle;
  ASSERT_TRUE(Handle::open(device, handle).ok());
  const auto plans = [&](const std::string& text) {
    std::set<std::string> all;
    for (std::int64_t m = 1; m <= 512; ++m) {
      Plan made;
      EXPECT_TRUE(plan(handle, parsed(text + " " + std::to_string(m) + "x1024x4096"), made).ok());
      all.insert(made.id() + " " + made.tile());
    }
    return all;
  };
  for (const char* kind : {"bf16 nt", "bf16 tn", "tf32 nn", "e4m3:bf16 nt", "f32 nn"})
    EXPECT_EQ(plans(std::string(kind) + " invariant=rows").size(), 1u) << kind;
  EXPECT_GT(plans("bf16 nt").size(), 1u) << "the setting costs nothing here, so that this test shows nothing";
}

TEST(Invariant, ThePlanSaysSo) {
  Handle handle;
  ASSERT_TRUE(Handle::open(device, handle).ok());
  Plan made;
  ASSERT_TRUE(plan(handle, parsed("bf16 nt 16x256x256 invariant=rows"), made).ok());
  EXPECT_NE(made.why().find("rows are invariant"), std::string::npos) << made.why();
}

// The library relies on every rung for this: of a tile that is not split, sums are in the order of k, wherever in C the
// tile is and whatever C's size.
TEST(Invariant, EveryRungSumsARowInOneOrder) {
  for (const Rung* rung : dispatch::ladder_of(machine->facts().kind)) {
    if (rung->kind != RungKind::gemm) continue;
    Problem p = Problem::packed(rung->types[0].in, Op::none, Op::none, 150, 64, 128);
    p.out = rung->types[0].out, p.compute = rung->types[0].compute, p.invariant = Invariant::rows;
    if ((rung->layouts & layout::nn) == 0) p.op_b = Op::transpose;
    p.pack();
    Problem few = p;
    few.m = 3;
    few.pack();
    RungContender contender(machine, *rung, 0);
    if (!contender.refuses(p).empty()) continue;  // another architecture's
    EXPECT_EQ(differing(few, product(contender, few, 0), p, product(contender, p, 0)), 0) << rung->id;
  }
}

// Of the rows of A all but the first three have elements that planes of f16 do not hold. The others must not have other
// planes because of them.
TEST(Invariant, WhatOtherRowsHoldDoesNotMatter) {
  for (const Rung* rung : dispatch::ladder_of(machine->facts().kind)) {
    if (rung->id != "hopper/61_f16x3") continue;
    RungContender contender(machine, *rung, 0);
    const auto rows = [&](std::int64_t m) {
      const Problem p = parsed("split nt invariant=rows " + std::to_string(m) + "x64x128");
      if (!contender.refuses(p).empty()) return std::pair(p, Bytes{});  // another architecture's
      return std::pair(p, product(contender, p, 0, 0,
                                  [](std::int64_t i, std::int64_t j) { return i >= 3 && j == 7 ? 0x1p40 : 1.0; }));
    };
    const auto [few, of_few] = rows(3);
    const auto [all, of_all] = rows(150);
    if (of_few.empty()) continue;
    EXPECT_EQ(differing(few, of_few, all, of_all), 0);
  }
}

// On the CPU the exact sum, rounded once, depends on nothing.
TEST(Invariant, TheCpuRoundsTheExactSum) {
  Handle cpu;
  ASSERT_TRUE(Handle::open(kCpu, cpu).ok());
  Plan made;
  ASSERT_TRUE(plan(cpu, parsed("f32 nn 8 invariant=rows"), made).ok());
  EXPECT_EQ(made.id(), "cpu/reference");
}

}  // namespace
}  // namespace cairn::lab

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* asked = std::getenv("CAIRN_TEST_DEVICE");
  const bool gpu = asked != nullptr && std::string_view(asked) == "gpu";
  cairn::lab::device = gpu ? 0 : -2;
  if (const auto s = cairn::runtime::open(cairn::lab::device, cairn::lab::machine); !s.ok()) {
    std::cout << (gpu ? "skipped: " : "the emulator does not open: ") << s.message() << '\n';
    return gpu ? 77 : 1;
  }
  const int result = RUN_ALL_TESTS();
  cairn::lab::machine.reset();
  return result;
}
