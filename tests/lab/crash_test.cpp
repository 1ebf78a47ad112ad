// A kernel's access to memory that is nobody's fails its launch, in a program without detectors: tests/lab/programs/crash.cu.
#include "tests/lab/program_support.hpp"

namespace cairn::testing {
namespace {

class Crash : public CompiledProgram<Crash> {
 public:
  static constexpr const char* kName = "crash";

 protected:
  // The program goes on, and its next kernel computes.
  static std::string reported(const std::string& fault, const std::string& error) {
    const Ran ran = in_folder(program_ + " " + fault);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.out, "ended by " + error + "\nthen cudaSuccess, 10\n") << ran.err;
    return ran.err;
  }
};

TEST_F(Crash, NoneInAProgramWithoutFaults) { EXPECT_EQ(reported("", "cudaSuccess"), ""); }

TEST_F(Crash, OfANullPointer) {
  const std::string said = reported("none", "cudaErrorIllegalAddress");
  EXPECT_TRUE(has(said, "cairn: kernel none, block (")) << said;
  EXPECT_TRUE(has(said, "thread 5: an illegal memory access, address 0x0, which is nobody's")) << said;
}

TEST_F(Crash, OfAKernelThatIsLaunchedByACall) {
  const Ran ran = in_folder(program_ + " called");
  EXPECT_EQ(ran.out, "ended by cudaErrorIllegalAddress\nthen cudaSuccess, 10\n") << ran.err;
}

TEST_F(Crash, OfAnIndexThatIsFarTooLarge) {
  const std::string said = reported("far", "cudaErrorIllegalAddress");
  EXPECT_TRUE(has(said, ": an illegal memory access, address 0x")) << said;
}

TEST_F(Crash, OfARecursionThatIsTooDeep) {
  const std::string said = reported("deep", "cudaErrorHardwareStackError");
  EXPECT_TRUE(has(said, "thread 0: its stack is full, which has 128 KB here")) << said;
}

TEST_F(Crash, OfADivisionByZero) {
#if defined(__aarch64__)
  EXPECT_EQ(reported("divided", "cudaSuccess"), "") << "this processor goes on, as a GPU does";
#else
  const std::string said = reported("divided", "cudaErrorLaunchFailure");
  EXPECT_TRUE(has(said, "thread 0: an integer is divided by zero")) << said;
#endif
}

TEST_F(Crash, IsOneFindingOfARecord) {
  const Ran ran = in_folder("cairn run " + program_ + " --check --format json -- last");
  const std::string said = "its stack is full";
  const std::size_t first = ran.out.find(said);
  EXPECT_NE(first, std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find(said, first + 1), std::string::npos) << ran.out;
  EXPECT_TRUE(has(ran.out, "\"failures\":[]") || has(ran.out, "\"failures\": []")) << ran.out;
}

// Of the host's own faults the system's way is left alone.
TEST_F(Crash, OfTheHostEndsTheProgram) {
  const Ran ran = in_folder(program_ + " host");
  EXPECT_EQ(ran.code, 128 + 11) << ran.out << ran.err;
}

}  // namespace
}  // namespace cairn::testing
