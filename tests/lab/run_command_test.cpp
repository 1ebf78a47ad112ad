// cairn-nvcc and `cairn run` from outside: whole programs, by hand, by make and by CMake.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/lab/program_support.hpp"

namespace cairn::testing {
namespace {

constexpr const char* kRight = "152 6, argument() called 1 time(s), 0 argument(s)\n";

TEST_F(Program, EveryKindOfLaunchRuns) {
  const std::string program = (scratch() / "launches").string();
  const Ran made = in_folder("cairn-nvcc -O3 -arch=sm_80 launches.cu second.cu -o " + program);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  const Ran alone = run_shell(program);
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out, kRight);
  const Ran plain = run_cairn("run " + program);
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out, kRight);
  const Ran watched = run_cairn("run " + program + " --check");
  EXPECT_EQ(watched.code, 0) << watched.out << watched.err;
  EXPECT_TRUE(watched.out.starts_with(kRight)) << watched.out;
  EXPECT_TRUE(has(watched.out, "The detectors found nothing.")) << watched.out;
}

TEST_F(Program, WhatIsNotEmulatedIsSaidOnce) {
  const std::string source = (scratch() / "texture.cu").string();
  std::ofstream(source)
      << "__global__ void k(cudaTextureObject_t t, float* o) { *o = tex2D<float>(t, 0, 0); }\nint main() {}\n";
  const Ran made = run_shell("cairn-nvcc '" + source + "' -o " + (scratch() / "texture").string());
  EXPECT_EQ(made.code, 1) << made.err;
  const std::string sentence = "cairn-nvcc: textures, surfaces and CUDA arrays are not emulated\n";
  EXPECT_TRUE(made.err.ends_with(sentence)) << made.err;
  EXPECT_EQ(made.err.find(sentence), made.err.rfind(sentence)) << made.err;
}

TEST_F(Program, TheExitCodeIsThePrograms) {
  const std::string program = (scratch() / "launches7").string();
  ASSERT_EQ(in_folder("cairn-nvcc launches.cu second.cu -o " + program).code, 0);
  EXPECT_EQ(run_cairn("run " + program + " -- 7").code, 7);
  EXPECT_EQ(run_cairn("run " + program + " --count -- 7").code, 7);
  EXPECT_TRUE(has(run_cairn("run " + program + " -- 7 a b").out, "3 argument(s)"));
}

TEST_F(Program, ARowForEachKernelAndShapeOfLaunch) {
  const Ran ran = in_folder("cairn run faults.cu --count --format csv");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "\nfine,1,1x1x1,64x1x1,,,2,4,")) << ran.out;  // two warps store, and nobody loads

  const std::string source = (scratch() / "shapes.cu").string();
  std::ofstream(source) << "__global__ void k(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                           "int main() {\n  int* out;\n  cudaMalloc(&out, 512);\n"
                           "  k<<<1, 64>>>(out);\n  k<<<2, 32>>>(out);\n  k<<<2, 32>>>(out);\n}\n";
  const Ran shapes = run_cairn("run " + source + " --count --format csv");
  ASSERT_EQ(shapes.code, 0) << shapes.err;
  EXPECT_TRUE(has(shapes.out, "\nk,1,1x1x1,64x1x1,")) << shapes.out;
  EXPECT_TRUE(has(shapes.out, "\nk,2,2x1x1,32x1x1,")) << shapes.out;
}

TEST_F(Program, MakeBuildsAProjectWithAnArchive) {
  const std::string folder = (scratch() / "made").string();
  const Ran made = in_folder("mkdir -p " + folder + " && make NVCC=cairn-nvcc OUT=" + folder);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const Ran ran = run_cairn("run " + folder + "/launches --check");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, kRight)) << ran.out;
}

TEST_F(Program, CMakeBuildsAProject) {
  const std::string folder = (scratch() / "cmade").string();
  const Ran made =
      run_shell("cmake -S '" + kFolder + "' -B " + folder + " -DCMAKE_TOOLCHAIN_FILE='" + CAIRN_SOURCE_DIR +
                "/cmake/cairn-nvcc.cmake' -DCAIRN_NVCC=$(command -v cairn-nvcc) && cmake --build " + folder);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(run_shell(folder + "/launches").out, kRight);
}

TEST_F(Program, FaultsAreFoundAndTheProgramGoesOn) {
  const std::string program = (scratch() / "faults").string();
  ASSERT_EQ(in_folder("cairn-nvcc faults.cu -o " + program).code, 0);
  const auto check = [&](const std::string& fault) {
    return in_folder("cairn run " + program + " --check -- " + fault);
  };
  const Ran none = check("none");
  EXPECT_EQ(none.code, 0) << none.out << none.err;
  EXPECT_TRUE(has(none.out, "done: cudaSuccess\n")) << none.out;
  for (const std::string fault : {"race", "beyond", "ptx", "barrier"}) {
    const Ran ran = check(fault);
    EXPECT_EQ(ran.code, 1) << fault << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "done: ")) << fault << ": the program did not go on\n" << ran.out;
    EXPECT_TRUE(has(ran.out, place(fault, "faults.cu"))) << fault << ran.out;
  }
  EXPECT_TRUE(has(check("nested").out, "a kernel launches a kernel: dynamic parallelism is not emulated"));
  EXPECT_TRUE(has(check("race").out, "race: kernel race: ")) << check("race").out;
  EXPECT_TRUE(has(check("ptx").out, "inline PTX is not emulated: \"vadd.u32.u32.u32 %0, %0, 1\""))
      << check("ptx").out;
}

TEST_F(Program, InlinePtxRunsAndIsChecked) {
  const std::string program = (scratch() / "ptx").string();
  const Ran made = in_folder("cairn-nvcc -arch=sm_80 ptx.cu -o " + program);
  ASSERT_EQ(made.code, 0) << made.err;
  const Ran alone = run_shell(program);
  EXPECT_EQ(alone.code, 0) << alone.out << alone.err;
  EXPECT_EQ(alone.out, "ptx: 0 differences\n");
  const Ran right = in_folder("cairn run " + program + " --check");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const auto check = [&](const std::string& fault) {
    const Ran ran = in_folder("cairn run " + program + " --check -- '" + fault + "'");
    EXPECT_EQ(ran.code, 1) << fault << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, place(fault, "ptx.cu"))) << fault << ran.out;
    return ran.out;
  };
  EXPECT_TRUE(has(check("vadd"), "\"vadd.u32.u32.u32 %0, %0, 1\"")) << "the instruction";
  EXPECT_TRUE(has(check("ptx race"), "race: ")) << "of a store and a load by offsets";
  EXPECT_TRUE(has(check("ld beyond"), "4 bytes at offset ")) << "what is outside of the array";
}

TEST_F(Program, HoppersInstructionsRun) {
  const std::string program = (scratch() / "hopper").string();
  const Ran made = in_folder("cairn-nvcc -std=c++17 -arch=sm_90a hopper.cu -o " + program);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  const Ran ran = in_folder("cairn run " + program + " --check");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(ran.out.starts_with("hopper: 0 wrong\n")) << ran.out;
}

TEST_F(Program, SharedArraysOutsideOfKernelsAndTicketsAreNoFaults) {
  const std::string program = (scratch() / "honest").string();
  ASSERT_EQ(in_folder("cairn-nvcc honest.cu -o " + program).code, 0);
  EXPECT_EQ(run_shell(program).out, "512 3\n");
  for (const int seed : {1, 2, 3}) {
    const Ran ran = in_folder("cairn run " + program + " --check --seed " + std::to_string(seed));
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "512 3\n")) << ran.out;
  }
  const auto check = [&](const std::string& fault) {
    const Ran ran = in_folder("cairn run " + program + " --check -- '" + fault + "'");
    EXPECT_EQ(ran.code, 1) << fault << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, place(fault, "honest.cu"))) << fault << ran.out;
    return ran.out;
  };
  EXPECT_TRUE(has(check("ticket"), "race: kernel total: ")) << "no ticket orders the blocks";
  EXPECT_TRUE(has(check("file scope"), "4 bytes past the end of at_file_scope, which has 256"));
  EXPECT_TRUE(has(check("own"), "4 bytes past the end of next_to_it(float*)::own, which has 128"));
  EXPECT_TRUE(has(check("unset"), "uninitialized: kernel read_unset: "));
}

TEST_F(Program, WithoutAWatcherAFailedLaunchIsToldAtOnce) {
  const Ran ran = in_folder("cairn run faults.cu -- barrier");
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(has(ran.err, "cairn: kernel barrier, block (0,0,0) of (1,1,1): deadlock")) << ran.err;
}

TEST_F(Program, AFindingNamesItsKernelOnce) {
  const Ran ran = in_folder("cairn run faults.cu --check -- barrier");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.out, "barrier: kernel barrier: block (0,0,0) of (1,1,1): deadlock")) << ran.out;
}

TEST_F(Program, WhatDoesNotCompileIsTheCompilersToSay) {
  const std::string file = (scratch() / "broken.cu").string();
  std::ofstream(file) << "__global__ void k(int* x) {\n  x[0] = nothing;\n}\nint main() { k<<<1, 1>>>(nullptr); }\n";
  const Ran ran = run_shell("cairn-nvcc -c " + file + " -o " + file + ".o");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "broken.cu:2:")) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(file + ".o"));
  EXPECT_EQ(run_cairn("run " + file).code, 2);
}

TEST_F(Program, BadCallsAreOneLine) {
  const auto complaint = [](const Ran& ran) {
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    return ran.err;
  };
  EXPECT_EQ(complaint(run_cairn("run /nowhere/a")), "cairn: cannot read /nowhere/a\n");
  EXPECT_TRUE(has(complaint(run_cairn("run /bin/ls --check")), "was not made by cairn-nvcc"));
  EXPECT_EQ(complaint(run_shell("cairn-nvcc -ptx a.cu")), "cairn-nvcc: -ptx: there is no PTX: kernels run as C++\n");
  EXPECT_EQ(complaint(run_shell("cairn-nvcc /nowhere/a.cu")), "cairn-nvcc: cannot read /nowhere/a.cu\n");
  EXPECT_EQ(complaint(run_shell("cairn-nvcc")), "cairn-nvcc: no input; write cairn-nvcc FILE.cu -o PROGRAM\n");
  const Ran library = in_folder("cairn-nvcc faults.cu -lcufft -o " + (scratch() / "x").string());
  EXPECT_EQ(complaint(library), "cairn-nvcc: -lcufft: the emulator has no counterpart of this library\n");
}

}  // namespace
}  // namespace cairn::testing
