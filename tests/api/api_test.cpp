// The C++ API: handles, plans, runs, and that a refused call writes nothing.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "cairn/version.h"
#include "kernels/ladder.hpp"
#include "runtime/runtime.hpp"

namespace cairn {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Handle cpu() {
  Handle handle;
  EXPECT_TRUE(Handle::open(kCpu, handle).ok());
  return handle;
}

TEST(Api, VersionIsTheHeaders) {
  EXPECT_EQ(std::string(version()), std::to_string(CAIRN_VERSION_MAJOR) + "." + std::to_string(CAIRN_VERSION_MINOR) +
                                        "." + std::to_string(CAIRN_VERSION_PATCH));
}

TEST(Api, AHandleThatIsNotOpenIsRefused) {
  Handle handle;
  EXPECT_FALSE(handle.is_open());
  float x = 7;
  const Status s = gemm(handle, Op::none, Op::none, 1, 1, 1, 1.0f, &x, 1, &x, 1, 0.0f, &x, 1);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_EQ(x, 7);
  EXPECT_EQ(handle.set_stream(nullptr).code(), Code::invalid_argument);
  EXPECT_EQ(handle.set_workspace(nullptr, 0).code(), Code::invalid_argument);
}

TEST(Api, DevicesThatAreNotThereAreRefusedAndTheHandleStays) {
  Handle handle = cpu();
  EXPECT_EQ(Handle::open(-5, handle).code(), Code::invalid_argument);
  EXPECT_EQ(Handle::open(1000, handle).code(), Code::unsupported);
  EXPECT_TRUE(handle.is_open());
  EXPECT_EQ(handle.device(), kCpu);
}

TEST(Api, TheCpuHasOnlyTheNullStream) {
  Handle handle = cpu();
  int somewhere = 0;
  EXPECT_EQ(handle.set_stream(&somewhere).code(), Code::invalid_argument);
  EXPECT_EQ(handle.stream(), nullptr);
  EXPECT_TRUE(handle.set_stream(nullptr).ok());
}

TEST(Api, TypedCallsMultiplyInEveryType) {
  Handle handle = cpu();
  const auto product = [&]<class In, class Out>(In, Out) {
    const std::vector<In> A = {In(1.0f), In(2.0f), In(3.0f), In(4.0f)}, B = {In(5.0f), In(-1.0f), In(1.0f), In(2.0f)};
    std::vector<Out> C = {Out(kNan), Out(kNan), Out(kNan), Out(kNan)};
    const Status s =
        gemm(handle, Op::none, Op::transpose, 2, 2, 2, 1, A.data(), 2, B.data(), 2, 0, C.data(), 2, Order::row);
    EXPECT_TRUE(s.ok()) << s.message();
    const float wanted[] = {3, 5, 11, 11};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(static_cast<float>(C[i]), wanted[i]);
  };
  product(double{}, double{});
  product(float{}, float{});
  product(f16{}, f16{});
  product(f16{}, float{});
  product(bf16{}, bf16{});
  product(e4m3{}, e4m3{});
  product(e4m3{}, bf16{});
}

TEST(Api, BatchesSharingOneMatrix) {
  Handle handle = cpu();
  const float A[] = {1, 2, 3, 4}, B[] = {1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3};
  float C[12] = {};
  ASSERT_TRUE(gemm_batched(handle, Op::none, Op::none, 2, 2, 2, 1, A, 2, 0, B, 2, 4, 0, C, 2, 4, 3).ok());
  const float wanted[] = {1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(C[i], wanted[i]);
}

TEST(Api, ScalarsAreRoundedToTheAccumulatorFirst) {
  Handle handle = cpu();
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
  const float a = 1, b = 1;
  float c = kNan;
  // Not 0 as a double, but 0 when it is rounded to float, which kernels take: then C is not read.
  ASSERT_TRUE(gemm(handle, p, 0.1, &a, &b, 1e-60, &c).ok());
  EXPECT_EQ(c, 0.1f);
}

TEST(Api, BetaZeroDoesNotReadCAndAlphaZeroNeedsNoInputs) {
  Handle handle = cpu();
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 1, 2, 3);
  float C[] = {kNan, kNan};
  ASSERT_TRUE(gemm(handle, p, 0, nullptr, nullptr, 0, C).ok());
  EXPECT_EQ(C[0], 0);
  EXPECT_EQ(C[1], 0);
}

// Everything the check refuses leaves C as it was; the messages themselves are the check's own test.
TEST(Api, WhatIsRefusedWritesNothing) {
  Handle handle = cpu();
  const std::vector<float> A(64, 1), B(64, 1);
  std::vector<float> C(64, 42);
  const std::vector<float> before = C;
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 4, 4, 4);
  p.ldb = 3;
  EXPECT_EQ(gemm(handle, p, 1, A.data(), B.data(), 0, C.data()).code(), Code::invalid_argument);
  p.pack();
  EXPECT_EQ(gemm(handle, p, 1, nullptr, B.data(), 0, C.data()).code(), Code::invalid_argument);
  p.m = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(gemm(handle, p, 1, A.data(), B.data(), 0, C.data()).code(), Code::invalid_argument);
  EXPECT_EQ(C, before);
}

TEST(Api, COverAOrBIsRefusedByNameAndBlocksOfOneMatrixAreTaken) {
  Handle handle = cpu();
  std::vector<float> memory(12 * 12, 1);
  const std::vector<float> before = memory;
  float* const X = memory.data();
  const auto multiply = [&](float alpha, const float* A, const float* B, float* C) {
    return gemm(handle, Op::none, Op::none, 4, 4, 4, alpha, A, 12, B, 12, 0.0f, C, 12);
  };
  const auto begins = [](const Status& s, const char* with) {
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_EQ(s.message().rfind(with, 0), 0u) << s.message();
  };
  begins(multiply(1, X, X + 4, X), "C overlaps A");
  begins(multiply(1, X, X + 4, X + 4 + 3 * 12 + 3), "C overlaps B");  // one element
  EXPECT_EQ(memory, before);
  // As in a blocked factorization: the rows of A, B and C alternate in memory, and no element is shared.
  EXPECT_TRUE(multiply(1, X, X + 4, X + 8).ok());
  EXPECT_EQ(X[8 + 3 * 12 + 3], 4);
  EXPECT_TRUE(multiply(1, X, X, X + 4).ok());  // A and B may be the same memory
  EXPECT_TRUE(multiply(0, X, X, X).ok());      // neither is read
  EXPECT_EQ(X[0], 0);
}

TEST(Api, AnEnumOutsideItsValuesIsRefusedByTheNameOfItsField) {
  Handle handle = cpu();
  const float a = 1, b = 1;
  float c = 5;
  const auto message = [&](Op op_a, Order order) {
    return gemm(handle, op_a, Op::none, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1, order).message();
  };
  EXPECT_EQ(message(static_cast<Op>(9), Order::row).rfind("op_a is 9;", 0), 0u)
      << message(static_cast<Op>(9), Order::row);
  EXPECT_EQ(message(Op::none, static_cast<Order>(2)).rfind("order is 2;", 0), 0u)
      << message(Op::none, static_cast<Order>(2));
  EXPECT_EQ(c, 5);
}

TEST(Api, PlansSayWhatRunsAndWhy) {
  Handle handle = cpu();
  Plan plan;
  const Problem p = Problem::packed(Type::f16, Op::none, Op::transpose, 30, 40, 50, Order::column);
  ASSERT_TRUE(cairn::plan(handle, p, plan).ok());
  EXPECT_EQ(plan.problem(), p);
  EXPECT_EQ(plan.id().rfind("cpu/", 0), 0u);
  EXPECT_EQ(plan.tile(), "");
  EXPECT_NE(plan.why().find(plan.id() + ": chosen"), std::string::npos) << plan.why();
  EXPECT_NE(plan.why().find("cpu/reference"), std::string::npos) << plan.why();
  EXPECT_NE(plan.why().find("row-major"), std::string::npos) << plan.why();
  std::size_t bytes = 0;
  ASSERT_TRUE(workspace_size(handle, p, bytes).ok());
  EXPECT_EQ(bytes, plan.workspace_bytes());
}

// OpenBLAS's integers have 32 bits in most builds of it.
TEST(Api, SizesAndLeadingDimensionsAbove31BitsTakeTheFastBackend) {
  Handle handle = cpu();
  Plan small, plan;
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
  ASSERT_TRUE(cairn::plan(handle, p, small).ok());
  p.ldc = std::int64_t{1} << 40;
  ASSERT_TRUE(cairn::plan(handle, p, plan).ok());
  EXPECT_EQ(plan.id(), small.id()) << plan.why();
  p = Problem::packed(Type::f64, Op::none, Op::none, 2, std::int64_t{1} << 31, 2);
  ASSERT_TRUE(cairn::plan(handle, p, plan).ok());
  EXPECT_EQ(plan.id(), small.id()) << plan.why();
}

// Nothing is stored of an empty batch, so two sizes may have a product beyond 64 bits.
TEST(Api, AnEmptyBatchOfHugeProductsIsPlannedAndDoesNothing) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  const std::tuple<std::int64_t, std::int64_t, std::int64_t> shapes[] = {
      {kHuge, 0, kHuge}, {0, kHuge, kHuge}, {kHuge, kHuge, 0}, {kHuge, kHuge, kHuge}};
  for (const int device : {kCpu, kEmu}) {
    Handle handle;
    ASSERT_TRUE(Handle::open(device, handle).ok());
    for (const Type type : {Type::f64, Type::f32, Type::bf16, Type::e4m3}) {
      for (const auto& [m, n, k] : shapes) {
        Problem p = Problem::packed(type, Op::none, Op::none, 1, 1, 1);
        p.m = m, p.n = n, p.k = k, p.lda = p.ldb = p.ldc = kHuge;
        p.batch = p.stride_a = p.stride_b = p.stride_c = 0;
        Plan plan;
        const Status planned = cairn::plan(handle, p, plan);
        ASSERT_TRUE(planned.ok()) << p.full() << ": " << planned.message();
        EXPECT_TRUE(run(handle, plan, 1, nullptr, nullptr, 0, nullptr).ok()) << p.full();
      }
    }
  }
}

// The emulated GPU runs the ladder on its own memory. Which rung has the shortest forecast is for the cost models to say.
TEST(Api, TheEmulatedGpuRunsTheRungWithTheShortestForecast) {
  Handle handle;
  ASSERT_TRUE(Handle::open(kEmu, handle).ok());
  EXPECT_EQ(handle.device(), kEmu);
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 33, 35, 37, Order::column);
  Plan plan;
  ASSERT_TRUE(cairn::plan(handle, p, plan).ok());
  EXPECT_TRUE(plan.id().starts_with("simt/2")) << plan.why();
  EXPECT_NE(plan.why().find("chosen, the shortest forecast"), std::string::npos) << plan.why();
  EXPECT_NE(plan.tile(), "");
  EXPECT_NE(plan.why().find("tile " + plan.tile()), std::string::npos) << plan.why();

  std::shared_ptr<runtime::Machine> machine;
  ASSERT_TRUE(runtime::open(kEmu, machine).ok());
  const std::vector<float> A(33 * 37, 2), B(37 * 35, 3);
  std::vector<float> C(33 * 35, kNan);
  runtime::Buffer on_device[3];
  const std::vector<float>* const host[] = {&A, &B, &C};
  for (int i = 0; i < 3; ++i) {
    const std::size_t bytes = host[i]->size() * sizeof(float);
    ASSERT_TRUE(runtime::Buffer::make(machine, bytes, on_device[i]).ok());
    ASSERT_TRUE(machine->copy_in(on_device[i].data(), host[i]->data(), bytes, nullptr).ok());
  }
  ASSERT_TRUE(gemm(handle, p, 1, on_device[0].data(), on_device[1].data(), 0, on_device[2].data()).ok());
  ASSERT_TRUE(machine->copy_out(C.data(), on_device[2].data(), C.size() * sizeof(float), nullptr).ok());
  for (const float c : C) ASSERT_EQ(c, 2 * 3 * 37);
}

TEST(Api, APlanRunsAgainAndAgainOnAnyHandleOfItsDevice) {
  Handle one = cpu(), two = cpu();
  Plan plan;
  ASSERT_TRUE(cairn::plan(one, Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 2), plan).ok());
  const float A[] = {2, 3}, B[] = {5, 7};
  float c = 1;
  ASSERT_TRUE(run(one, plan, 1, A, B, 1, &c).ok());
  EXPECT_EQ(c, 32);
  ASSERT_TRUE(run(two, plan, 1, A, B, 1, &c).ok());
  EXPECT_EQ(c, 63);
  const Plan copy = plan;
  ASSERT_TRUE(run(two, copy, 0, A, B, 0, &c).ok());
  EXPECT_EQ(c, 0);
}

TEST(Api, AnEmptyPlanIsRefused) {
  Handle handle = cpu();
  float c = 5;
  const Status s = run(handle, Plan(), 1, &c, &c, 0, &c);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("plan"), std::string::npos);
  EXPECT_EQ(c, 5);
}

TEST(Api, ACallersWorkspaceIsUsedAndMustBeLargeEnough) {
  Handle handle = cpu();
  const Problem p = Problem::packed(Type::f16, Op::none, Op::none, 8, 8, 8);
  std::size_t bytes = 0;
  ASSERT_TRUE(workspace_size(handle, p, bytes).ok());
  const std::vector<f16> A(64, f16(1.0f)), B(64, f16(1.0f));
  std::vector<f16> C(64, f16(kNan));
  alignas(256) static std::byte memory[1024];
  EXPECT_EQ(handle.set_workspace(memory + 1, 256).code(), Code::invalid_argument);
  EXPECT_EQ(handle.set_workspace(nullptr, 256).code(), Code::invalid_argument);
  if (bytes > 256) {
    ASSERT_TRUE(handle.set_workspace(memory, 256).ok());
    const Status s = gemm(handle, p, 1, A.data(), B.data(), 0, C.data());
    EXPECT_EQ(s.code(), Code::workspace_too_small);
    EXPECT_NE(s.message().find(std::to_string(bytes)), std::string::npos) << s.message();
    EXPECT_TRUE(std::isnan(static_cast<float>(C[0])));
  }
  std::vector<std::byte> large(bytes + 256);
  void* aligned = large.data();
  std::size_t room = large.size();
  ASSERT_NE(std::align(256, bytes, aligned, room), nullptr);
  ASSERT_TRUE(handle.set_workspace(aligned, bytes).ok());
  ASSERT_TRUE(gemm(handle, p, 1, A.data(), B.data(), 0, C.data()).ok());
  EXPECT_EQ(static_cast<float>(C[63]), 8);
  ASSERT_TRUE(handle.set_workspace(nullptr, 0).ok());
  ASSERT_TRUE(gemm(handle, p, 1, A.data(), B.data(), 1, C.data()).ok());
  EXPECT_EQ(static_cast<float>(C[63]), 16);
}

}  // namespace
}  // namespace cairn
