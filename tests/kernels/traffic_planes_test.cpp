// What splitting f32 into planes costs in bytes: each kernel of hopper/60 and 61, worked out by hand. An element is read
// twice, and written and loaded as so many bytes as its planes have.
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kUnit = 64, kStage = 128;  // of k, that planes are padded to; bytes of a row of a stage

struct Planes {
  const char *id, *kernel;
  int tile;
  std::uint64_t cols;          // of a tile, which has 128 rows
  std::uint64_t bytes;         // of an element
  std::uint64_t stages;        // of a unit of k
  std::uint64_t instructions;  // likewise, of 64 rows
};
constexpr Planes kF16[] = {{"hopper/61_f16x3", "hopper_61_f16x3", 0, 192, 4, 2, 12},
                           {"hopper/61_f16x3", "hopper_61_f16x3", 1, 128, 4, 2, 12},
                           {"hopper/61_f16x3", "hopper_61_f16x3", 3, 64, 4, 2, 12}},
                 kBf16[] = {{"hopper/60_bf16x6", "hopper_60_bf16x6", 0, 192, 6, 4, 24}};

// One tile of 192 columns or several, k not whole units.
Problem problem(Op op_a, Op op_b) {
  Problem p = Problem::packed(Type::f32, op_a, op_b, 256, 384, 200);
  p.compute = Compute::split;
  return p;
}
constexpr std::uint64_t kRows = 256, kCols = 384, kDepth = 200, kPadded = 256;

// The kernel whose name, without its template arguments, ends so.
const emu::KernelTrace* find(const Traced& traced, std::string_view end) {
  for (const emu::KernelTrace& kernel : traced.trace.kernels)
    if (kernel.name.substr(0, kernel.name.find('<')).ends_with(end)) return &kernel;
  return nullptr;
}

void expect_bytes(const Planes& planes, const Problem& p) {
  const Traced traced = trace_rung(planes.id, planes.tile, p, 1, kCounters);
  ASSERT_EQ(traced.failure, "") << planes.id << ", " << p.brief();
  const auto *extents = find(traced, "hopper_split_extents"), *split = find(traced, "hopper_split"),
             *product = find(traced, planes.kernel);
  ASSERT_TRUE(extents != nullptr && split != nullptr && product != nullptr);
  EXPECT_EQ(extents->counters.global_load_bytes, (kRows + kCols) * kDepth * 4) << planes.id << ", " << p.brief();
  EXPECT_EQ(split->counters.global_store_bytes, (kRows + kCols) * kPadded * planes.bytes + 8)
      << planes.id << ", " << p.brief() << ": the planes, and the decision";
  constexpr std::uint64_t kUnits = kPadded / kUnit;
  const std::uint64_t tiles = kRows / 128 * (kCols / planes.cols);
  const emu::Counters& c = product->counters;
  EXPECT_EQ(c.tma_load_bytes, tiles * kUnits * planes.stages * (128 + planes.cols) * kStage) << planes.id;
  EXPECT_EQ(c.mma_instructions, tiles * 2 * kUnits * planes.instructions) << planes.id;
  EXPECT_EQ(c.mma_flops, c.mma_instructions * 2 * 64 * planes.cols * 16) << planes.id;
}

TEST(TrafficPlanes, AnElementIsReadTwiceAndHasFourBytesOfF16OrSixOfBf16) {
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      for (const Planes& planes : kF16) expect_bytes(planes, problem(op_a, op_b));
      for (const Planes& planes : kBf16) expect_bytes(planes, problem(op_a, op_b));
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
