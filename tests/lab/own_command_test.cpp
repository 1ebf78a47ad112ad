// `cairn trace FILE` from outside: a user's kernel is compiled, run and watched; what is wrong with it or with the
// call is one line.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

const std::string kFolder = std::string(CAIRN_SOURCE_DIR) + "/tests/lab/own";

// The line of kernels.cu that ends in "// <- word".
std::string place(const std::string& word) {
  std::ifstream file(kFolder + "/kernels.cu");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// <- " + word)) return "kernels.cu:" + std::to_string(number);
  }
  ADD_FAILURE() << "no line is marked " << word;
  return "";
}

Ran trace(const std::string& arguments) {
  return run_shell("cd '" + kFolder + "' && cairn trace kernels.cu " + arguments);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Nothing on stdout, one line on stderr that holds the hints.
void expect_complaint(const Ran& ran, const std::vector<std::string>& hints) {
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("cairn: ")) << ran.err;
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  for (const std::string& hint : hints) EXPECT_TRUE(has(ran.err, hint)) << hint << "\n" << ran.err;
}

class Own : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_cairn("trace simt/02 --shape 32").code == 77) GTEST_SKIP() << "this build has no traced emulator";
  }
};

// 4 blocks of 2 warps; n is 200, so that of 8 warps the last has nothing to store and the one before 8 elements.
TEST_F(Own, ACleanKernelIsCounted) {
  const std::string kept = (scratch() / "own.json").string(), page = (scratch() / "own.html").string();
  const Ran ran = trace(
      "--kernel 'mine::turn<float, 64>' --grid 4 --block 64 --shared 256 --arg 'f32[256]=iota' --arg 'f32[256]' "
      "--arg 200 --arg 0.5 --lines --record '" +
      kept + "' --html '" + page + "'");
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(has(ran.out, "The detectors found nothing.")) << ran.out;
  EXPECT_TRUE(has(ran.out, "arg 1, f32[256]: 0 1 2 3 4 5 6 7 …\n")) << ran.out;
  EXPECT_TRUE(has(ran.out,
                  "arg 2, f32[256]: 63.5 62.5 61.5 60.5 59.5 58.5 57.5 56.5 …; 56 of 256 elements were never "
                  "written, the first is [200]\n"))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "    buffer[threadIdx.x] = in[i];")) << ran.out;  // the listing
  EXPECT_TRUE(has(slurp(page), "kernels.cu, f32[256]=iota f32[256] 200 0.5, seed 1"));

  const auto all = nlohmann::json::parse(slurp(kept));
  const auto& kernel = all.at("kernels").at(0);
  EXPECT_EQ(kernel.at("rung"), "kernels.cu");
  EXPECT_EQ(kernel.at("name"), "mine::turn<float, 64>");
  const auto& counters = kernel.at("counters");
  EXPECT_EQ(counters.at("global_load_requests"), 8);
  EXPECT_EQ(counters.at("global_load_sectors"), 32);
  EXPECT_EQ(counters.at("global_store_requests"), 7);
  EXPECT_EQ(counters.at("global_store_sectors"), 25);
  EXPECT_EQ(counters.at("shared_store_requests"), 16);
  EXPECT_EQ(counters.at("shared_load_requests"), 14);
  EXPECT_EQ(counters.at("shared_load_bank_conflicts"), 0);
  EXPECT_EQ(counters.at("barriers"), 4);
  EXPECT_EQ(all.at("buffers").at(1).at("unwritten"), 56);
  EXPECT_EQ(all.at("buffers").at(1).at("first").at(0), 63.5);
}

TEST_F(Own, ARaceIsNamedAtBothLines) {
  const Ran ran = trace("--kernel racy --grid 1 --block 64 --arg 'f32[64]'");
  EXPECT_EQ(ran.code, 1);
  const std::size_t at = ran.out.find("race: kernel racy: ");
  ASSERT_NE(at, std::string::npos) << ran.out << ran.err;
  const std::string line = ran.out.substr(at, ran.out.find('\n', at) - at);
  EXPECT_TRUE(has(line, " at " + place("store"))) << line;
  EXPECT_TRUE(has(line, " at " + place("load"))) << line;
}

TEST_F(Own, AnAccessOutOfBoundsIsNamedAtItsLine) {
  const Ran ran = trace("--kernel past --grid 1 --block 64 --arg 'f32[64]=zero'");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.out, "out-of-bounds: kernel past: thread 63")) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "at " + place("past") + "\n")) << ran.out;
}

TEST_F(Own, EveryKindOfNumberArrives) {
  const Ran ran = trace(
      "--kernel numbers --grid 1 --block 1 --arg 'i64[1]' --arg 'u8[2]=iota' --arg=-3 --arg f64:40 --arg 500 --arg "
      "true "
      "--arg null");
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "asm <<<539>>>\n");  // 1 - 3 + 40 + 500 + 1
  EXPECT_TRUE(has(ran.out, "arg 1, i64[1]: 539\n")) << ran.out;
}

TEST_F(Own, BadCallsAreOneLine) {
  expect_complaint(trace(""), {"--kernel NAME"});
  expect_complaint(trace("--kernel racy"), {"--grid BLOCKS --block THREADS"});
  expect_complaint(trace("--kernel racy --grid 0 --block 64"), {"--grid '0'"});
  expect_complaint(trace("--kernel racy --grid 1 --block 2048"), {"--block '2048'", "1024"});
  expect_complaint(trace("--kernel racy --grid 1 --block 1 --shared 999999"), {"--shared: '999999'", "232448"});
  expect_complaint(trace("--kernel racy --grid 1 --block 1 --arg 'f99[4]'"), {"no type 'f99'"});
  expect_complaint(trace("--kernel 'a;b' --grid 1 --block 1"), {"--kernel 'a;b'"});
  expect_complaint(trace("simt/01 --kernel racy"), {"one file at a time"});
  expect_complaint(trace("--shape 64 --kernel racy"), {"--shape is for rungs"});
  expect_complaint(run_cairn("trace simt/01 --kernel racy"), {"--kernel is for a kernel of your own"});
  expect_complaint(run_cairn("trace nowhere.cu --kernel k --grid 1 --block 1"), {"cannot read nowhere.cu"});
  expect_complaint(trace("--kernel nobody --grid 1 --block 1"),
                   {"--kernel 'nobody' is not one kernel of kernels.cu; its kernels are turn, racy, past, numbers"});
}

// A file of these lines, and the complaint about it.
Ran try_file(const std::string& text, const std::string& flags = "") {
  std::ofstream(scratch() / "try.cu") << text;
  return run_cairn("trace try.cu --kernel k --grid 1 --block 1 " + flags);
}

TEST_F(Own, ArgumentsThatDoNotFitAreToldTheParameter) {
  const std::pair<const char*, const char*> wrong[] = {
      {"--arg 'f32[1]'", "k takes 2 parameters (float*, short); 1 --arg given"},
      {"--arg 5 --arg 5", "--arg 1, '5', is a number, but the parameter is float*"},
      {"--arg 'i32[64]' --arg 5", "--arg 1, 'i32[64]', is a buffer of i32, but the parameter is float*, of f32"},
      {"--arg 'f32[1]' --arg 40000", "--arg 2, '40000', is no value of the parameter's type, short (i16)"},
      {"--arg 'f32[1]' --arg i32:4", "--arg 2, 'i32:4', is of type i32, but the parameter is short, i16"},
  };
  for (const auto& [arguments, says] : wrong)
    expect_complaint(try_file("__global__ void k(float* p, short s) { *p = s; }", arguments), {says});
}

TEST_F(Own, WhatIsNotEmulatedIsNamedWithItsLine) {
  const std::pair<const char*, const char*> features[] = {
      {"__global__ void k() {\n  asm volatile(\"bar.sync 0;\");\n}", "try.cu:2: asm (inline asm)"},
      {"\n__global__ void k(cudaTextureObject_t t) {}", "try.cu:2: cudaTextureObject_t (textures)"},
      {"__global__ void k(float* p) {\n *p = tex2D<float>(0, 0, 0); }", "try.cu:2: tex2D (textures)"},
      {"__global__ void k() {\n surf2Dwrite(1, 0, 0, 0); }", "try.cu:2: surf2Dwrite (surfaces)"},
      {"\n\n__global__ void __cluster_dims__(2) k() {}", "try.cu:3: __cluster_dims__ (thread block clusters)"},
      {"__global__ void a() {}\n__global__ void k() { a<<<1, 1>>>(); }", "try.cu:2: a launch from a kernel"},
      {"\n#include <cuda_fp6.h>", "try.cu:2: <cuda_fp6.h>, 6-bit floating types"},
      {"#include <mma.h>\n__global__ void k() {\n  using namespace nvcuda::wmma;\n"
       "  fragment<accumulator, 8, 8, 4, double> f;\n  fill_fragment(f, 0.0);\n}",
       "try.cu:4: wmma is emulated for __half"},
      {"#include <cuda/latch>", "try.cu:1: <cuda/latch>, cuda::latch"},
      {"#include <cuda/ptx>", "try.cu:1: <cuda/ptx>, PTX instructions by cuda::ptx"},
      {"#include <cuda/barrier>\n__global__ void k() {\n  struct After { void operator()() {} };\n"
       "  __shared__ cuda::barrier<cuda::thread_scope_block, After> b;\n}",
       "try.cu:4: cuda::barrier with a completion function"},
      {"#include <curand_kernel.h>", "try.cu:1: <curand_kernel.h>, random numbers"},
  };
  for (const auto& [text, says] : features) expect_complaint(try_file(text), {says, "not emulated"});
}

// Published kernels with wmma run as they are.
TEST_F(Own, TensorCoresMultiply) {
  std::ofstream(scratch() / "try.cu") << "#include <mma.h>\nusing namespace nvcuda;\n"
                                         "__global__ void k(const half* a, const half* b, float* c) {\n"
                                         "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n"
                                         "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;\n"
                                         "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;\n"
                                         "  wmma::fill_fragment(z, 0.0f);\n"
                                         "  wmma::load_matrix_sync(x, a, 16);\n  wmma::load_matrix_sync(y, b, 16);\n"
                                         "  wmma::mma_sync(z, x, y, z);\n"
                                         "  for (int i = 0; i < z.num_elements; ++i) z.x[i] += 1;\n"
                                         "  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);\n}\n";
  const Ran ran =
      run_cairn("trace try.cu --kernel k --grid 1 --block 32 --arg 'f16[256]=1' --arg 'f16[256]=2' --arg 'f32[256]'");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "arg 3, f32[256]: 33 33 33")) << ran.out;
  EXPECT_TRUE(has(ran.out, "mma instructions")) << ran.out;
}

// Blocks that meet: launched cooperatively where they can be co-resident.
TEST_F(Own, AGridMeets) {
  std::ofstream(scratch() / "try.cu")
      << "#include <cooperative_groups.h>\n__global__ void k(int* a, int* b) {\n  a[blockIdx.x] = blockIdx.x + 1;\n"
         "  cooperative_groups::this_grid().sync();\n  b[blockIdx.x] = 10 * a[(blockIdx.x + 1) % gridDim.x];\n}\n"
         "int main() {}\n";
  const Ran ran = run_cairn("trace try.cu --kernel k --grid 4 --block 1 --arg 'i32[4]' --arg 'i32[4]'");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "arg 2, i32[4]: 20 30 40 10\n")) << ran.out;
  const Ran many = run_cairn("trace try.cu --kernel k --grid 300 --block 1 --arg 'i32[300]' --arg 'i32[300]'");
  EXPECT_EQ(many.code, 1);
  EXPECT_TRUE(has(many.out, "the launch is not cooperative")) << many.out;
}

TEST_F(Own, TheCompilersErrorIsOneLine) {
  expect_complaint(try_file("__global__ void k(int* p) {\n  *p = q;\n  r = 1;\n}\n"),
                   {"try.cu:2: 'q' was not declared", "(and 1 more)"});
  expect_complaint(try_file("#include \"nosuch.h\"\n"), {"try.cu:1: nosuch.h: No such file"});
  expect_complaint(try_file("__device__ int f();\n__global__ void k(int* p) { *p = f(); }"),
                   {"undefined reference to `f()'"});
}

// What nvcc alone is to see stays hidden, flags reach the compiler, and a variable of the device is pointed out.
TEST_F(Own, ConditionsFlagsAndVariables) {
  const Ran ran = try_file(
      "#ifndef CAIRN_EMULATED\n__global__ void hidden() { asm(\"\"); }\n#endif\n__constant__ float c = 2;\n"
      "__global__ void k(float* p) { *p = c * N; }\n",
      "--flag=-DN=21 --arg 'f32[1]'");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "arg 1, f32[1]: 42\n")) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "try.cu:4: 'c' keeps the value it is declared with")) << ran.out;
}

// Without detectors nobody looks what is written, and nothing is said of it.
TEST_F(Own, AFileThatIncludesNothingIsNamedToo) {
  const std::string text = "\n\n__global__ void k(int* p) {\n  *p = 7;\n}\n";
  const Ran ran = try_file(text, "--arg 'i32[1]' --no-detectors --lines");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "\ntry.cu:4 ")) << ran.out;
  EXPECT_TRUE(has(ran.out, "arg 1, i32[1]: 7\n")) << ran.out;
}

TEST_F(Own, AKernelThatCrashesTakesNothingWithIt) {
  const Ran ran = try_file(
      "__global__ void k(int* p) {\n  int x[100000];\n  for (int i = 0; i < 100000; ++i) x[i] = *p + i;\n"
      "  *p = x[*p & 7];\n}\n",
      "--arg 'i32[1]=zero'");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "ended by signal")) << ran.err;
}

}  // namespace
}  // namespace cairn::testing
