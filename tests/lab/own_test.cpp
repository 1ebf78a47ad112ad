// A kernel of the user's own, as far as it goes without compiling: the look at its source, the arguments, the
// compiler's complaints, and what goes to the program and back.
#include <sstream>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/trace/own/arguments.hpp"
#include "lab/trace/own/run.hpp"

namespace cairn::lab::trace {
namespace {

using emu::program::Element;
using emu::program::Filling;
using emu::program::Kind;

// As g++ -E -fdirectives-only hands it on, in the file k.cu from line 1.
Scanned look(const std::string& text) { return scan("# 1 \"k.cu\"\n" + text, {"/cairn/emu/"}); }

std::string refused(const std::string& text) {
  std::string all;
  for (const Spot& spot : look(text).refused)
    all += spot.file + ":" + std::to_string(spot.line) + " " + spot.what + "\n";
  return all;
}

TEST(OwnScan, NamesWhatIsNotEmulatedAndItsLine) {
  EXPECT_EQ(refused("\nvoid f() { asm volatile(\"x\"); }"), "k.cu:2 asm (inline asm)\n");
  EXPECT_EQ(refused("\n\nint x; __asm__(\"x\");"), "k.cu:3 __asm__ (inline asm)\n");
  EXPECT_EQ(refused("void f(cudaTextureObject_t t) {\n tex2D<float>(t, 0, 0); }"),
            "k.cu:1 cudaTextureObject_t (textures)\nk.cu:2 tex2D (textures)\n");
  EXPECT_EQ(refused("tex1Dfetch(t, 1); surf2Dwrite(1, s, 0, 0);"),
            "k.cu:1 tex1Dfetch (textures)\nk.cu:1 surf2Dwrite (surfaces)\n");
  EXPECT_EQ(refused("__global__ void __cluster_dims__(2) f();"), "k.cu:1 __cluster_dims__ (thread block clusters)\n");
  EXPECT_EQ(refused("__managed__ int x;"), "k.cu:1 __managed__ (managed variables)\n");
  EXPECT_EQ(refused("__global__ void a() {}\n__global__ void b() {\n if (1) { a<<<1, 1>>>(); }\n}\n"),
            "k.cu:3 a launch from a kernel (dynamic parallelism)\n");
}

TEST(OwnScan, DoesNotMisfire) {
  EXPECT_EQ(refused("// asm(\"x\") tex2D(\n/* asm(\n<<< */ int a;"), "");
  EXPECT_EQ(refused("const char* a = \"asm( \\\" tex2D<<<\";"), "");
  EXPECT_EQ(refused("auto a = R\"(asm( \" tex2D)\"; auto b = u8R\"x(asm)\" asm)x\";"), "");
  EXPECT_EQ(refused("char a = '\"'; char b = '\\''; int c = 1'000'000; // asm"), "");
  EXPECT_EQ(refused("int my_asm, asmr, texture2D, context2D; a.tex = 1;"), "");
  EXPECT_EQ(refused("#define PTX asm volatile(\"x\")\nint a;"), "");
  EXPECT_EQ(refused("__device__ int a;\nvoid host() { k<<<1, 2>>>(); }"), "");
}

TEST(OwnScan, AMacroIsRefusedWhereItIsUsed) {
  EXPECT_EQ(refused("#define PTX(x) asm volatile(x)\n\nvoid f() { PTX(\"\"); }"),
            "k.cu:3 PTX (a macro that uses inline asm)\n");
  EXPECT_EQ(refused("#define PTX asm(\"\")\n#define PTX\nvoid f() { PTX; }"), "");
}

TEST(OwnScan, LooksOnlyAtTheUsersFiles) {
  const std::string text =
      "# 1 \"/usr/include/x.h\" 1 3\nasm(\"\");\n# 1 \"/cairn/emu/shadow/y.h\" 1\nasm(\"\");\n"
      "# 7 \"mine.cuh\" 2\n\nasm(\"\");\n";
  const Scanned scanned = scan(text, {"/cairn/emu/"});
  ASSERT_EQ(scanned.refused.size(), 1u);
  EXPECT_EQ(scanned.refused[0].file, "mine.cuh");
  EXPECT_EQ(scanned.refused[0].line, 8);
}

TEST(OwnScan, FindsTheKernels) {
  const Scanned scanned = look(
      "__global__ void one(int);\n__global__ void one(int) {}\n"
      "template <int n> __global__ void __launch_bounds__(n, 2) two(float (*f)(int)) { three(1); }\n"
      "__global__ __launch_bounds__(128)\nvoid\nfour() {}\n__device__ void five() {}\n");
  EXPECT_EQ(scanned.kernels, (std::vector<std::string>{"one", "two", "four"}));
}

TEST(OwnScan, FindsVariablesOfTheDevice) {
  const Scanned scanned = look(
      "__constant__ float a[4];\n__device__ int b = 1;\n__device__ int f(int x) { return x; }\n"
      "__device__ __align__(16) char c;\n__device__ __host__ int g();\n");
  ASSERT_EQ(scanned.variables.size(), 3u);
  EXPECT_EQ(scanned.variables[0].what, "a");
  EXPECT_EQ(scanned.variables[1].what, "b");
  EXPECT_EQ(scanned.variables[2].what, "c");
  EXPECT_EQ(scanned.variables[2].line, 4);
}

TEST(OwnScan, LeavesOutWhatGccCouldNotCompile) {
  const std::string text =
      "void host() { k<float, 2><<<dim3(1),\n 2>>>(a, b); }\nint main(int c, char** v) {\n  if (c) { "
      "asm(\"\"); }\n}\nint after;\n";
  const Scanned scanned = look(text);
  EXPECT_TRUE(scanned.refused.empty());  // main is not run
  EXPECT_EQ(scanned.text,
            "# 1 \"k.cu\"\nvoid host() { k<float, 2>           \n     (a, b); }\nint main(int c, char** v) {\n" +
                std::string(21, ' ') + "\n}\nint after;\n");
}

// Where lines were left out, the preprocessor says where it goes on: in the middle of a kernel, too.
TEST(OwnScan, KeepsItsPlaceOverAJump) {
  const Scanned scanned =
      look("__global__ void k() {\n# 20 \"k.cu\"\n c<<<1, 1>>>();\n}\nvoid host() { c<<<1, 1>>>(); }\n");
  ASSERT_EQ(scanned.refused.size(), 1u);
  EXPECT_EQ(scanned.refused[0].line, 20);
}

TEST(OwnArguments, AreReadByTheirKind) {
  EXPECT_EQ(parse_argument("5", 1).digits, "5");
  EXPECT_EQ(parse_argument("5", 1).element, Element::any);
  EXPECT_EQ(parse_argument("-1.5e3", 1).kind, Kind::number);
  EXPECT_EQ(parse_argument("true", 1).digits, "1");
  EXPECT_EQ(parse_argument("u64:18446744073709551615", 1).element, Element::u64);
  EXPECT_EQ(parse_argument("null", 1).kind, Kind::null);
  const auto buffer = parse_argument("bf16[3x4x5]=random", 1);
  EXPECT_EQ(buffer.kind, Kind::buffer);
  EXPECT_EQ(buffer.element, Element::bf16);
  EXPECT_EQ(buffer.count, 60u);
  EXPECT_EQ(buffer.filling, Filling::random);
  EXPECT_EQ(parse_argument("i8[7]", 1).filling, Filling::unset);
  EXPECT_EQ(parse_argument("f32[7]=-2.5", 1).filling, Filling::number);
  EXPECT_EQ(parse_grid("7"), (std::array<unsigned, 3>{7, 1, 1}));
  EXPECT_EQ(parse_block("8,4,2"), (std::array<unsigned, 3>{8, 4, 2}));
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return (error.code() == kUsage ? "" : "not a usage error: ") + std::string(error.what());
  }
  return "none";
}

TEST(OwnArguments, WrongOnesAreToldWhatWouldBeRight) {
  const std::pair<const char*, const char*> wrong[] = {
      {"x", "f32[1024]=random"},
      {"", "f32[1024]=random"},
      {"f31:5", "there is no type 'f31'"},
      {"i32:1.5", "no number of type i32"},
      {"i8:128", "no number of type i8"},
      {"u32:-1", "no number of type u32"},
      {"f32[0]", "1 or more"},
      {"f32[]", "1 or more"},
      {"f32[4x]", "1 or more"},
      {"f32[99999999999999]", "1 or more"},
      {"f32[4", "] is missing"},
      {"f32[4]x", "f32[1024]=random"},
      {"f32[4]=all", "random, zero, iota, unset"},
      {"u8[4]=300", "a number of its type"},
      {"any[4]", "no type 'any'"},
  };
  for (const auto& [text, hint] : wrong) {
    const std::string said = complaint([&] { parse_argument(text, 3); });
    EXPECT_TRUE(said.starts_with("--arg 3, '")) << said;
    EXPECT_NE(said.find(hint), std::string::npos) << text << ": " << said;
  }
  for (const char* text : {"", "0", "1,", "1,0", "1,2,3,4", "a", "-1", "1,65536"})
    EXPECT_TRUE(complaint([&] { parse_grid(text); }).starts_with("--grid '")) << text;
  for (const char* text : {"1025", "32,33", "1,1,65", "0", "4294967295,4294967295"})
    EXPECT_TRUE(complaint([&] { parse_block(text); }).starts_with("--block '")) << text;
}

TEST(OwnErrors, AreTheFirstOfTheCompilers) {
  const std::string output =
      "In file included from driver.cu:4:\n/here/k.cu: In function 'void f()':\n"
      "/here/k.cu:3:5: error: 'q' was not declared in this scope\n    3 |     q = 1;\n      |     ^\n"
      "/here/k.cu:4:5: error: 'r' was not declared\n";
  EXPECT_EQ(first_error(output, "/here/k.cu"), "/here/k.cu:3: 'q' was not declared in this scope (and 1 more)");
  EXPECT_EQ(first_error("In file included from /here/a.cuh:7,\n                 from /here/k.cu:2:\n"
                        "/c/emu/shadow/refused/cuda_fp8.h:3:2: error: #error cairn: <cuda_fp8.h>, x: not emulated\n",
                        "/here/k.cu"),
            "/here/a.cuh:7: <cuda_fp8.h>, x: not emulated");
  EXPECT_EQ(first_error("/c/emu/shadow/mma.h: In instantiation of 'class fragment<int>':\n"
                        "/here/k.cu:9:4:   required from here\n"
                        "/c/emu/shadow/mma.h:3:2: error: static assertion failed: cairn: not emulated\n",
                        "/here/k.cu"),
            "/here/k.cu:9: not emulated");
  EXPECT_EQ(
      first_error("/usr/bin/ld: k.o: in function `f':\nk.cu:(.text+0x4): undefined reference to `g(int)'\n", "k.cu"),
      "k.cu: undefined reference to `g(int)'");
  EXPECT_EQ(first_error("all is well: 0 errors\n", "k.cu"), "");
}

TEST(OwnErrors, FilesAreNamedAsTheUserDoes) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(named_by_user(here + "/a.cuh:7", "k.cu"), "a.cuh:7");
  EXPECT_EQ(named_by_user(std::string(kUsersFolder) + "in/a.cuh", "sub/k.cu"), "sub/in/a.cuh");
  EXPECT_EQ(named_by_user("/elsewhere/a.cuh", "k.cu"), "/elsewhere/a.cuh");
}

TEST(OwnTools, WhatIsMissingIs77) {
  program::Build build = program::this_build();
  build.to_headers = "/nowhere";
  if (build.libraries.empty()) GTEST_SKIP() << "this build has no traced emulator";
  EXPECT_FALSE(program::find_tools(build).compiler.empty());
  build.libraries[0] = "/nowhere/libcairn_emu_own.a";
  try {
    program::find_tools(build);
    ADD_FAILURE() << "nothing was missed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kLacking);
    EXPECT_STREQ(error.what(), "CUDA sources need /nowhere/libcairn_emu_own.a, which is not there");
  }
}

TEST(OwnWire, BringsEverythingOver) {
  emu::program::ProgramOutput told;
  told.usage = "u", told.failure = std::string("f\0g", 3);
  emu::KernelTrace kernel;
  kernel.name = "k", kernel.grid = {1, 2, 3}, kernel.launches = 4;
  std::uint64_t value = 100;
  for (const emu::CounterName& counter : emu::counter_names()) kernel.counters.*counter.value = value++;
  emu::LineCounters line;
  line.place = {"file", 7, "function"}, line.worst_shared.lanes = 5, line.worst_shared.address[31] = 9;
  line.worst_shared_who = "who";
  kernel.lines.push_back(line);
  told.trace.kernels.push_back(kernel);
  told.trace.findings.push_back({emu::Fault::unwritten, "k", "what", {"a", 1, "b"}, {"c", 2, "d"}, 11});
  emu::program::Buffer buffer;
  buffer.argument = 2, buffer.element = Element::f32, buffer.first = {1.5}, buffer.written = {1}, buffer.gap = 3;
  told.buffers.push_back(buffer);

  std::stringstream file;
  write(file, told);
  emu::program::ProgramOutput back;
  ASSERT_TRUE(read(file, back));
  EXPECT_EQ(back.usage, "u");
  EXPECT_EQ(back.failure, told.failure);
  ASSERT_EQ(back.trace.kernels.size(), 1u);
  const emu::KernelTrace& k = back.trace.kernels[0];
  EXPECT_EQ(k.grid[2], 3u);
  value = 100;
  for (const emu::CounterName& counter : emu::counter_names()) EXPECT_EQ(k.counters.*counter.value, value++);
  EXPECT_EQ(k.lines.at(0).place.function, "function");
  EXPECT_EQ(k.lines.at(0).worst_shared.address[31], 9u);
  EXPECT_EQ(k.lines.at(0).worst_shared_who, "who");
  EXPECT_EQ(back.trace.findings.at(0).fault, emu::Fault::unwritten);
  EXPECT_EQ(back.trace.findings.at(0).other.line, 2);
  EXPECT_EQ(back.buffers.at(0).first.at(0), 1.5);
  EXPECT_EQ(back.buffers.at(0).gap, 3u);

  std::stringstream cut(file.str().substr(0, file.str().size() / 2));
  emu::program::ProgramOutput half;
  EXPECT_FALSE(read(cut, half));
}

TEST(OwnBuffers, AreShownByTheirFirstValuesAndTheirGaps) {
  emu::program::Buffer buffer;
  buffer.argument = 2, buffer.element = Element::f32, buffer.count = 3;
  buffer.first = {1.5, 0, 2}, buffer.written = {1, 0, 1}, buffer.unwritten = 1, buffer.gap = 1;
  EXPECT_EQ(buffer_lines({buffer}).at(0),
            "arg 2, f32[3]: 1.5 unset 2; 1 of 3 elements were never written, the first is [1]");
}

}  // namespace
}  // namespace cairn::lab::trace
