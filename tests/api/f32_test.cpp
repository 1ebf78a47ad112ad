// f32 as split: who may ask for it, and what becomes of which problem.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.h"
#include "cairn/cairn.hpp"
#include "src/dispatch/plan.hpp"

namespace cairn {
namespace {

// CAIRN_F32 for the time of a test; null: not set. What it was comes back.
class Variable {
 public:
  explicit Variable(const char* value) {
    if (const char* old = std::getenv("CAIRN_F32"); old != nullptr) before_ = old;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  static void set(const char* value) {
    EXPECT_EQ(value == nullptr ? unsetenv("CAIRN_F32") : setenv("CAIRN_F32", value, 1), 0);
  }
  std::optional<std::string> before_;
};

Handle opened(int device, const char* variable = nullptr) {
  const Variable set(variable);
  Handle handle;
  const Status s = Handle::open(device, handle);
  EXPECT_TRUE(s.ok()) << s.message();
  return handle;
}

Handle set_to(int device, Compute f32) {
  Handle handle = opened(device);
  EXPECT_TRUE(handle.set_f32(f32).ok());
  return handle;
}

Problem square(std::int64_t size) { return Problem::packed(Type::f32, Op::none, Op::none, size, size, size); }

Plan planned(const Handle& handle, const Problem& problem) {
  Plan made;
  const Status s = plan(handle, problem, made);
  EXPECT_TRUE(s.ok()) << problem.full() << ": " << s.message();
  return made;
}

bool says(const Plan& plan, const std::string& words) { return plan.why().find(words) != std::string::npos; }

const std::string kAsCairnF32Asks = "\nf32 is computed as split, as CAIRN_F32 asks\n";
const std::string kAsTheHandleIsSet = "\nf32 is computed as split, as the handle is set\n";

// Large enough that split is faster on the emulated GPU, and not a multiple of anything.
constexpr std::int64_t kSize = 251;

TEST(F32, IsIeeeUnlessSomebodyAsks) {
  for (const char* variable : {static_cast<const char*>(nullptr), "", "native"}) {
    const Handle handle = opened(kEmu, variable);
    EXPECT_EQ(handle.f32(), Compute::native);
    const Plan plan = planned(handle, square(kSize));
    EXPECT_TRUE(plan.id().starts_with("simt/")) << plan.why();
    EXPECT_FALSE(says(plan, "CAIRN_F32") || says(plan, "the handle is set")) << plan.why();
  }
  EXPECT_EQ(Handle().f32(), Compute::native) << "not open";
}

TEST(F32, IsSplitWhereTheEnvironmentAsksWhenTheHandleIsOpened) {
  const Handle handle = opened(kEmu, "split");
  const Variable later("native");
  EXPECT_EQ(handle.f32(), Compute::split);
  const Plan plan = planned(handle, square(kSize));
  Problem asked = square(kSize);
  EXPECT_EQ(plan.problem(), asked) << "as it was asked for";
  EXPECT_TRUE(says(plan, kAsCairnF32Asks)) << plan.why();
  asked.compute = Compute::split;
  const Plan same = planned(opened(kEmu), asked);
  EXPECT_EQ(plan.id() + plan.tile(), same.id() + same.tile());
  EXPECT_FALSE(plan.id().starts_with("simt/")) << plan.why();
}

TEST(F32, TheSettingOverridesTheEnvironmentBothWays) {
  Handle handle = opened(kEmu, "split");
  ASSERT_TRUE(handle.set_f32(Compute::native).ok());
  EXPECT_EQ(handle.f32(), Compute::native);
  EXPECT_TRUE(planned(handle, square(kSize)).id().starts_with("simt/"));
  ASSERT_TRUE(handle.set_f32(Compute::split).ok());
  const Plan plan = planned(handle, square(kSize));
  EXPECT_TRUE(says(plan, kAsTheHandleIsSet)) << plan.why();
  EXPECT_FALSE(says(plan, "CAIRN_F32")) << plan.why();

  Handle other = opened(kEmu, "native");
  ASSERT_TRUE(other.set_f32(Compute::split).ok());
  EXPECT_EQ(other.f32(), Compute::split);
  EXPECT_TRUE(says(planned(other, square(kSize)), kAsTheHandleIsSet));
}

TEST(F32, OtherValuesAreRefusedInASentenceThatHasTheRightOnes) {
  Handle handle = opened(kCpu);
  for (const std::string value : {"Split", "tf32", "1", "split "}) {
    const Variable set(value.c_str());
    for (const int device : {kCpu, kEmu}) {
      const Status s = Handle::open(device, handle);
      EXPECT_EQ(s.code(), Code::invalid_argument);
      EXPECT_EQ(s.message(), "CAIRN_F32 is '" + value + "'; it must be native or split");
    }
    EXPECT_EQ(handle.device(), kCpu) << "stays as it was";
    cairn_handle none = nullptr;
    EXPECT_EQ(cairn_create(&none, CAIRN_CPU), CAIRN_INVALID_ARGUMENT);
    EXPECT_EQ(cairn_last_error(), "CAIRN_F32 is '" + value + "'; it must be native or split");
    EXPECT_EQ(none, nullptr);
  }
  ASSERT_TRUE(handle.set_f32(Compute::split).ok());
  EXPECT_EQ(handle.set_f32(Compute::tf32).message(), "f32 is tf32; it must be native or split");
  EXPECT_EQ(handle.set_f32(static_cast<Compute>(9)).message(), "f32 is 9; it must be native or split");
  EXPECT_EQ(handle.f32(), Compute::split);
  Handle closed;
  EXPECT_EQ(closed.set_f32(Compute::split).code(), Code::invalid_argument);
}

// Numbers whose sums are rounded, so that one kernel's bits are not another's.
std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (float& x : all) seed = seed * 1664525 + 1013904223, x = static_cast<float>(seed >> 8) * 0x1p-24f + 0x1p-30f;
  return all;
}

// The emulator's memory is the host's.
std::vector<float> product(Handle& handle, const Problem& p) {
  const auto A = numbers(p.m * p.k, 1), B = numbers(p.k * p.n, 2);
  std::vector<float> C(static_cast<std::size_t>(p.m * p.n), -1);
  const Status s = gemm(handle, p, 1, A.data(), B.data(), 0, C.data());
  EXPECT_TRUE(s.ok()) << s.message();
  return C;
}

std::vector<float> product(Handle& handle, const Plan& plan) {
  const Problem& p = plan.problem();
  const auto A = numbers(p.m * p.k, 1), B = numbers(p.k * p.n, 2);
  std::vector<float> C(static_cast<std::size_t>(p.m * p.n), -1);
  const Status s = run(handle, plan, 1, A.data(), B.data(), 0, C.data());
  EXPECT_TRUE(s.ok()) << s.message();
  return C;
}

// One handle, one problem, and plans that it keeps: each call has the bits of what was set when it was made.
TEST(F32, GemmAndPlansAgreeBeforeAndAfterTheSettingChanges) {
  const Problem p = square(kSize);
  Problem split = p;
  split.compute = Compute::split;
  Handle handle = opened(kEmu), other = opened(kEmu);
  const std::vector<float> as_native = product(other, p), as_split = product(other, split);
  ASSERT_NE(as_native, as_split);

  EXPECT_EQ(product(handle, p), as_native);
  const Plan native_plan = planned(handle, p);
  ASSERT_TRUE(handle.set_f32(Compute::split).ok());
  EXPECT_EQ(product(handle, p), as_split) << "not by the plan that the handle kept";
  const Plan split_plan = planned(handle, p);
  EXPECT_EQ(product(handle, split_plan), as_split);
  EXPECT_EQ(product(handle, native_plan), as_native) << "a plan stays what it was made as";
  EXPECT_EQ(product(handle, p), as_split) << "and the handle keeps both";
  ASSERT_TRUE(handle.set_f32(Compute::native).ok());
  EXPECT_EQ(product(handle, p), as_native);
  EXPECT_EQ(product(other, split_plan), as_split) << "on another handle too";
  EXPECT_EQ(product(other, p), as_native) << "whose own are not changed by it";

  std::size_t bytes = 0;
  ASSERT_TRUE(workspace_size(handle, p, bytes).ok());
  EXPECT_EQ(bytes, native_plan.workspace_bytes());
  ASSERT_TRUE(handle.set_f32(Compute::split).ok());
  ASSERT_TRUE(workspace_size(handle, p, bytes).ok());
  EXPECT_EQ(bytes, split_plan.workspace_bytes());
}

TEST(F32, ColumnMajorProductsAndTypedCallsAreSplitToo) {
  Handle handle = opened(kEmu, "split"), plain = opened(kEmu);
  const Problem p = Problem::packed(Type::f32, Op::transpose, Op::none, kSize, kSize, kSize, Order::column);
  Problem split = p;
  split.compute = Compute::split;
  EXPECT_EQ(product(handle, p), product(plain, split));
  const auto A = numbers(kSize * kSize, 1), B = numbers(kSize * kSize, 2);
  std::vector<float> C(A.size());
  ASSERT_TRUE(gemm(handle, Op::transpose, Op::none, kSize, kSize, kSize, 1, A.data(), kSize, B.data(), kSize, 0,
                   C.data(), kSize, Order::column)
                  .ok());
  EXPECT_EQ(C, product(plain, split));
}

TEST(F32, ProblemsThatAskForAnotherArithmeticStay) {
  const Handle plain = opened(kEmu), split = set_to(kEmu, Compute::split), environment = opened(kEmu, "split");
  for (const char* text : {"tf32 nn 256", "split nn 256", "f64 nn 256", "f16:f32 nt 256", "bf16 tn 256"}) {
    Problem p;
    ASSERT_TRUE(parse(text, p).ok());
    EXPECT_EQ(planned(split, p).why(), planned(plain, p).why());
    EXPECT_EQ(planned(environment, p).why(), planned(plain, p).why());
  }
}

// What split kernels do not take: those of f32 do, and why() says that nothing came of the setting.
TEST(F32, EpiloguesScalesGroupsAndInvariantRowsStayIeee) {
  const Handle plain = opened(kEmu), split = set_to(kEmu, Compute::split), environment = opened(kEmu, "split");
  Problem biased = square(kSize), scaled = square(kSize), grouped = square(kSize), rows = square(kSize),
          columns = Problem::packed(Type::f32, Op::none, Op::none, kSize, kSize, kSize, Order::column);
  biased.bias = Bias::rows, biased.activation = Activation::relu;
  scaled.scale_a = Scale::vector, scaled.scale_b = Scale::tensor;
  grouped.groups = 3, grouped.stride_b = kSize * kSize;
  rows.invariant = Invariant::rows, columns.invariant = Invariant::columns;
  for (const Problem& p : {biased, scaled, grouped, rows, columns}) {
    const Plan set = planned(split, p), by_environment = planned(environment, p), without = planned(plain, p);
    EXPECT_EQ(set.id() + set.tile(), without.id() + without.tile()) << p.full();
    EXPECT_TRUE(says(set, "\nf32 stays IEEE f32, though the handle is set to split: ")) << set.why();
    EXPECT_TRUE(says(by_environment, "\nf32 stays IEEE f32, though CAIRN_F32 asks for split: ")) << set.why();
    EXPECT_FALSE(says(without, "stays")) << without.why();
  }
  EXPECT_TRUE(says(planned(split, rows), ": rows are to be invariant")) << planned(split, rows).why();
  EXPECT_TRUE(says(planned(split, columns), ": columns are to be invariant")) << planned(split, columns).why();
  EXPECT_TRUE(says(planned(split, biased), ": what is chosen computes so\n")) << planned(split, biased).why();

  Handle with = set_to(kEmu, Compute::split);
  Problem p = Problem::packed(Type::f32, Op::none, Op::none, 2, 2, 2);
  p.bias = Bias::columns, p.activation = Activation::relu;
  const float A[] = {1, 2, 3, 4}, B[] = {1, 0, 0, 1}, bias[] = {-10, 1};
  float C[] = {-1, -1, -1, -1};
  ASSERT_TRUE(gemm(with, p, 1, 0, {.A = A, .B = B, .C = C, .bias = bias}).ok());
  EXPECT_EQ(C[0], 0);
  EXPECT_EQ(C[1], 3);
  EXPECT_EQ(C[3], 5);
}

TEST(F32, OnTheCpuNothingChanges) {
  Handle plain = opened(kCpu), split = set_to(kCpu, Compute::split), environment = opened(kCpu, "split");
  EXPECT_EQ(environment.f32(), Compute::split);
  const Problem p = square(33);
  EXPECT_EQ(planned(split, p).id(), planned(plain, p).id());
  EXPECT_EQ(product(split, p), product(plain, p));
  EXPECT_TRUE(says(planned(split, p),
                   "\nf32 stays IEEE f32, though the handle is set to split: the CPU computes split "
                   "as IEEE f32 too\n"))
      << planned(split, p).why();
  EXPECT_TRUE(says(planned(environment, p), "though CAIRN_F32 asks for split: the CPU")) << planned(split, p).why();
}

TEST(F32, ANamedRungOfSplitIsTakenWhereF32IsSplit) {
  const Handle plain = opened(kEmu), split = set_to(kEmu, Compute::split);
  Plan named;
  EXPECT_EQ(plan(plain, square(kSize), "tensor/40", named).code(), Code::unsupported);
  ASSERT_TRUE(plan(split, square(kSize), "tensor/40", named).ok());
  EXPECT_TRUE(says(named, kAsTheHandleIsSet)) << named.why();
  ASSERT_TRUE(plan(split, square(kSize), "simt/22", named).ok());
  EXPECT_TRUE(says(named, "f32 stays IEEE f32, though the handle is set to split: what is chosen")) << named.why();
}

// By the architecture: three products of f16 planes on Hopper, TF32 since Ampere, and nothing before.
TEST(F32, TheKernelIsThatOfSplitOnEachGpu) {
  const auto plan_on = [](int arch) {
    runtime::Facts facts;
    facts.kind = runtime::Kind::emu, facts.name = "a GPU", facts.units = 132, facts.arch = arch,
    facts.clock_mhz = 1980;
    std::shared_ptr<const Plan::Impl> made;
    const Status s = dispatch::make_plan(facts, square(4096), made, dispatch::SplitBy::environment);
    EXPECT_TRUE(s.ok()) << s.message();
    return made;
  };
  EXPECT_EQ(plan_on(90)->words().id, "hopper/61_f16x3") << plan_on(90)->words().why;
  for (const int arch : {80, 89}) {
    EXPECT_EQ(plan_on(arch)->words().id, "tensor/40_mma_tf32x3");
    EXPECT_NE(plan_on(arch)->words().why.find(kAsCairnF32Asks), std::string::npos);
  }
  EXPECT_TRUE(plan_on(75)->words().id.starts_with("simt/"));
  EXPECT_NE(plan_on(75)->words().why.find("f32 stays IEEE f32, though CAIRN_F32 asks"), std::string::npos);
}

TEST(F32, TheSettingIsTheSameInC) {
  const Variable unset(nullptr);
  cairn_handle handle = nullptr;
  ASSERT_EQ(cairn_create(&handle, CAIRN_EMU), CAIRN_OK) << cairn_last_error();
  cairn_compute f32 = CAIRN_FAST;
  ASSERT_EQ(cairn_get_f32(handle, &f32), CAIRN_OK);
  EXPECT_EQ(f32, CAIRN_NATIVE);
  ASSERT_EQ(cairn_set_f32(handle, CAIRN_SPLIT), CAIRN_OK) << cairn_last_error();
  ASSERT_EQ(cairn_get_f32(handle, &f32), CAIRN_OK);
  EXPECT_EQ(f32, CAIRN_SPLIT);

  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 251"), CAIRN_OK);
  cairn_plan plan = nullptr;
  const char* why = nullptr;
  ASSERT_EQ(cairn_plan_create(&plan, handle, &p), CAIRN_OK) << cairn_last_error();
  ASSERT_EQ(cairn_plan_why(plan, &why), CAIRN_OK);
  EXPECT_NE(std::string(why).find(kAsTheHandleIsSet), std::string::npos) << why;
  EXPECT_EQ(cairn_plan_destroy(plan), CAIRN_OK);

  const auto refused = [](cairn_status status, const std::string& message) {
    EXPECT_EQ(status, CAIRN_INVALID_ARGUMENT);
    EXPECT_EQ(cairn_last_error(), message);
  };
  refused(cairn_set_f32(handle, CAIRN_TF32), "f32 is tf32; it must be native or split");
  refused(cairn_set_f32(handle, CAIRN_FAST), "f32 is fast; it must be native or split");
  refused(cairn_set_f32(nullptr, CAIRN_SPLIT), "handle is null; it must not be");
  refused(cairn_get_f32(handle, nullptr), "f32 is null; it must not be");
  refused(cairn_get_f32(nullptr, &f32), "handle is null; it must not be");
  EXPECT_EQ(f32, CAIRN_SPLIT);
  EXPECT_EQ(cairn_destroy(handle), CAIRN_OK);
}

}  // namespace
}  // namespace cairn
