// What the library makes of operands that begin where no card wants them: another rung stands by, or they are copied.
#include <memory>
#include <string>

#include <gtest/gtest.h>

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
  ASSERT_EQ(library.size(), 1u);
  std::uint64_t seed = 0;
  for (const char* type : {"e4m3:bf16", "e4m3fast:f32", "e4m3", "bf16", "tf32"})
    for (const char* layout : {"nn", "nt", "tn", "tt"})
      for (const std::int64_t offset : {0, 1, 16}) {
        Problem p;
        ASSERT_TRUE(parse(std::string(type) + " 70x40x300 " + layout, p).ok());
        Case test = make_case(++seed, p, {1, 0.5}, Mode::exact, 0);
        test.problem.lda = test.problem.ldb = 304;  // rows are aligned, so that nothing is copied on their account
        test.offset_a = offset, test.offset_b = 3 * offset;
        const Verdict verdict = check(*library.front(), test);
        EXPECT_EQ(verdict.outcome, Outcome::passed) << test.describe() << ": " << verdict.what;
      }
}

}  // namespace
}  // namespace cairn::lab::verify
