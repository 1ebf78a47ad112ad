// Faults within a thread, between the lanes of a warp (tests/lab/programs/missed.cu) and of a block that ends too early
// (late.cu), in a whole program.
#include "tests/lab/program_support.hpp"

namespace cairn::testing {
namespace {

class Missed : public CompiledProgram<Missed> {
 public:
  static constexpr const char* kName = "missed";

 protected:
  static Ran check(const std::string& fault, int seed = 1) {
    return in_folder("cairn run " + program_ + " --check --seed " + std::to_string(seed) + " -- '" + fault + "'");
  }
  // The finding, and what the program printed.
  static std::string found(const std::string& fault) {
    const Ran ran = check(fault);
    EXPECT_EQ(ran.code, 1) << fault << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, place(fault, "missed.cu"))) << fault << ran.out;
    EXPECT_TRUE(has(ran.out, "done: ")) << fault << ": the program did not go on\n" << ran.out;
    return ran.out;
  }
};

TEST_F(Missed, NothingIsFoundInAProgramWithoutFaults) {
  for (const int seed : {1, 2, 3}) {
    const Ran ran = check("", seed);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "done: cudaSuccess, 198 16\n")) << ran.out;
    EXPECT_TRUE(has(ran.out, "The detectors found nothing.")) << ran.out;
  }
}

TEST_F(Missed, AShuffleFromALaneThatIsNotThere) {
  EXPECT_TRUE(has(found("returned"),
                  "absent-lane: kernel returned: thread 8 of block (0,0,0): __shfl_down_sync with "
                  "mask 0xffffffff takes a value from lane 16, which is not there (returned: "
                  "16-31), at missed.cu:"));
  EXPECT_TRUE(has(found("partial"),
                  "thread 32 of block (0,0,0): __shfl_down_sync with mask 0xffffffff takes a value "
                  "from lane 16, which is not there (never there: 16-31), at "));
  EXPECT_TRUE(has(found("broadcast"), "takes a value from lane 0, which is not there (returned: 0), at "));
  EXPECT_TRUE(has(found("tile"), "group.shfl_xor with mask 0xffffffff takes a value from lane 1, "));
}

TEST_F(Missed, AnIndexPastTheEndOfAnArray) {
  EXPECT_TRUE(has(found("indexed"), "array-index: kernel indexed: thread "));
  EXPECT_TRUE(has(found("indexed"), ": index 32 is outside of float [32], at "));
  EXPECT_TRUE(has(found("indexed shared"), ": index 32 is outside of float [32], at "));
}

TEST_F(Missed, APointerPastTheEndOfALocalArray) {
  EXPECT_TRUE(has(found("written"), "out-of-bounds: kernel by_pointer: thread "));
  EXPECT_TRUE(has(found("written"), ": a store of 4 bytes past the end of a local array, at "));
  EXPECT_TRUE(has(found("read"), ": a load of 4 bytes past the end of a local array, at "));
  EXPECT_TRUE(has(found("inlined"), ": a store of 4 bytes past the end of a local array, at "));
  EXPECT_TRUE(has(found("cleared"), ": has written past the end of a local array of the function that ends at "));
}

// Not a finding: the value shows. In every byte it is 0xfe.
TEST_F(Missed, AVariableThatNobodySetIsNoPlausibleNumber) {
  for (const std::string fault : {"unset sum", "unset array"}) {
    const Ran ran = check(fault);
    EXPECT_EQ(ran.code, 0) << fault << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "done: cudaSuccess, 1 -1.69474e+38\n")) << fault << ran.out;
  }
}

class Late : public CompiledProgram<Late> {
 public:
  static constexpr const char* kName = "late";

 protected:
  // As the blocks end in any order: the launch goes on, and the detectors tell.
  static void expect_found(const std::string& fault, const std::string& what) {
    for (const int seed : {1, 2, 3}) {
      const std::string run = "cairn run " + program_ + " --seed " + std::to_string(seed);
      const Ran plain = in_folder(run + " -- " + fault), checked = in_folder(run + " --check -- " + fault);
      EXPECT_EQ(plain.code, 0) << plain.err;
      EXPECT_EQ(plain.out, "done: cudaSuccess, 1 2 255\n") << plain.err;
      EXPECT_EQ(checked.code, 1) << checked.out << checked.err;
      EXPECT_TRUE(checked.out.starts_with("done: cudaSuccess, 1 2 255\n")) << checked.out << checked.err;
      EXPECT_TRUE(has(checked.out, what)) << checked.out;
      EXPECT_FALSE(has(checked.out, "race: ")) << checked.out;
    }
  }
};

TEST_F(Late, NothingIsFoundInAProgramWhoseBlocksWait) {
  for (const int seed : {1, 2, 3}) {
    const Ran ran = in_folder("cairn run " + program_ + " --check --seed " + std::to_string(seed));
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(ran.out.starts_with("done: cudaSuccess, 1 2 255\n")) << ran.out;
    EXPECT_TRUE(has(ran.out, "The detectors found nothing.")) << ran.out;
  }
}

TEST_F(Late, AStoreThatNobodyWaitsFor) {
  expect_found("unread",
               "late-use: kernel store: block (0,0,0): the block ends while a store still reads its shared memory, "
               "issued at late.cu:");
}

TEST_F(Late, AnArrivalAtABlockThatMayBeGone) { expect_found("left", "a cluster_sync() must hold it back"); }

}  // namespace
}  // namespace cairn::testing
