// malloc() and free() in kernels: tests/lab/programs/heap.cu.
#include "tests/lab/program_support.hpp"

namespace cairn::testing {
namespace {

class Heap : public CompiledProgram<Heap> {
 public:
  static constexpr const char* kName = "heap";

 protected:
  static Ran check(const std::string& fault) {
    return in_folder("cairn run " + program_ + " --check -- '" + fault + "'");
  }
};

TEST_F(Heap, ListsAreMadeAddedUpAndFreed) {
  const Ran plain = in_folder(program_);
  EXPECT_EQ(plain.out, "done: cudaSuccess, 55 55\n") << plain.err;
  const Ran checked = check("");
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_TRUE(has(checked.out, "done: cudaSuccess, 55 55\n")) << checked.out;
  EXPECT_TRUE(has(checked.out, "The detectors found nothing.")) << checked.out;
}

TEST_F(Heap, GivesNothingBeyondItsLimit) {
  EXPECT_EQ(in_folder(program_ + " greedy").out, "done: cudaSuccess, 1 1\n");
}

TEST_F(Heap, ItsMemoryIsUnsetAtFirst) {
  const Ran ran = check("unset");
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_TRUE(has(ran.out, "uninitialized: kernel unset: thread ")) << ran.out;
  EXPECT_TRUE(has(ran.out, place("unset", "heap.cu"))) << ran.out;
}

TEST_F(Heap, ItsMemoryIsAllThreads) {
  const Ran ran = check("raced");
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_TRUE(has(ran.out, "race: kernel shared_by_all: thread ")) << ran.out;
  EXPECT_TRUE(has(ran.out, place("raced", "heap.cu"))) << ran.out;
}

}  // namespace
}  // namespace cairn::testing
