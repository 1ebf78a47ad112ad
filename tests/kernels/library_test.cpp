// What the library makes of operands that begin where no card wants them, and of calls that follow each other on one
// handle with the same problem and other pointers.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "lab/contender_library.hpp"
#include "lab/verify/verify.hpp"
#include "tests/kernels/cases.hpp"

namespace cairn::lab::verify {
namespace {

TEST(Library, TakesOperandsThatBeginAnywhere) {
  std::shared_ptr<runtime::Machine> machine;
  ASSERT_TRUE(runtime::open(-2, machine).ok());
  Contenders library;
  ASSERT_TRUE(add_library(-2, machine, library).ok());
  ASSERT_EQ(library.size(), 2u);  // run, and gemm
  std::uint64_t seed = 0;
  for (const char* type : {"e4m3:bf16", "e4m3fast:f32", "e4m3", "bf16", "tf32"})
    for (const char* layout : {"nn", "nt", "tn", "tt"})
      for (const std::int64_t offset : {0, 1, 16}) {
        Problem p;
        ASSERT_TRUE(parse(std::string(type) + " 70x40x300 " + layout, p).ok());
        Case test = make_case(++seed, p, {1, 0.5}, Mode::exact, 0);
        test.problem.lda = test.problem.ldb = 304;  // rows are aligned, so that nothing is copied on their account
        test.offset_a = offset, test.offset_b = 3 * offset;
        const Verdict verdict = check(*library[seed % 2], test);
        EXPECT_EQ(verdict.outcome, Outcome::passed) << test.describe() << ": " << verdict.what;
      }
}

// One handle keeps its plan for a problem, and what a launch made for its pointers (tensor maps). Other pointers, the
// same again, no product at all, C off the grid and back, a beta: each call must see its own.
TEST(Library, CallsThatFollowEachOtherSeeTheirOwnPointers) {
  std::shared_ptr<runtime::Machine> machine;
  ASSERT_TRUE(runtime::open(-2, machine).ok());
  Handle handle;
  ASSERT_TRUE(Handle::open(-2, handle).ok());
  constexpr std::int64_t size = 64, count = size * size;
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, size, size, size);
  runtime::Buffer buffers[6];
  for (runtime::Buffer& buffer : buffers) ASSERT_TRUE(runtime::Buffer::make(machine, 2 * count + 64, buffer).ok());
  // Matrix i is filled with the integer i + 1, so C of A = i, B = j is 64 (i + 1) (j + 1).
  const auto fill = [&](int i) {
    const std::vector<bf16> all(count, bf16(static_cast<double>(i + 1)));
    ASSERT_TRUE(machine->copy_in(buffers[i].data(), all.data(), 2 * count, nullptr).ok());
  };
  for (int i = 0; i < 4; ++i) fill(i);
  struct {
    int a, b, c;
    double alpha, beta;
    std::int64_t offset;  // of C, in elements
  } const calls[] = {{0, 1, 4, 1, 0, 0}, {0, 1, 4, 1, 0, 0}, {2, 1, 4, 1, 0, 0}, {0, 3, 4, 1, 0, 0},
                     {0, 3, 5, 1, 0, 0}, {0, 3, 5, 0, 0, 0}, {0, 3, 5, 1, 0, 0}, {0, 3, 5, 1, 0, 1},
                     {0, 3, 5, 1, 0, 0}, {0, 3, 5, 1, 1, 0}, {1, 0, 4, 1, 0, 8}, {1, 0, 4, 2, 0, 8},
                     {1, 2, 4, 0, 0, 8}, {1, 2, 4, 1, 0, 8}};
  for (const auto& [a, b, c, alpha, beta, offset] : calls) {
    const double before = 8;
    const std::vector<bf16> old(count, bf16(before));
    void* const C = static_cast<bf16*>(buffers[c].data()) + offset;
    ASSERT_TRUE(machine->copy_in(C, old.data(), 2 * count, nullptr).ok());
    ASSERT_TRUE(gemm(handle, p, alpha, buffers[a].data(), buffers[b].data(), beta, C).ok());
    std::vector<bf16> found(count);
    ASSERT_TRUE(machine->copy_out(found.data(), C, 2 * count, nullptr).ok());
    const double wanted = alpha * 64 * (a + 1) * (b + 1) + beta * before;
    for (const bf16 x : found) ASSERT_EQ(static_cast<double>(x), wanted) << a << " " << b << " " << c;
  }
}

// A handle plans a problem once.
TEST(Library, PlansAProblemOnce) {
  Handle handle, other;
  ASSERT_TRUE(Handle::open(-2, handle).ok());
  ASSERT_TRUE(Handle::open(-2, other).ok());
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 8, 8, 8);
  Plan first, second, third;
  ASSERT_TRUE(plan(handle, p, first).ok());
  ASSERT_TRUE(plan(handle, p, second).ok());
  ASSERT_TRUE(plan(other, p, third).ok());
  EXPECT_EQ(first.impl(), second.impl());
  EXPECT_NE(first.impl(), third.impl());
}

}  // namespace
}  // namespace cairn::lab::verify
