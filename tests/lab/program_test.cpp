// What cairn-nvcc does short of compiling: its command line, and what it makes of a source.
#include <fstream>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/program/nvcc_options.hpp"
#include "lab/program/rewrite.hpp"
#include "lab/program/run.hpp"
#include "lab/program/sections.hpp"

namespace cairn::lab::program {
namespace {

using Words = std::vector<std::string>;

// As g++ -E hands it on, in the file k.cu from line 1, where __global__ has become an attribute.
Rewritten rewritten(std::string text) {
  const std::string word = "__global__";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
    text.replace(at, word.size(), "__attribute__((noipa))");
  return rewrite("# 1 \"k.cu\"\n" + text, {"/cairn/emu/"});
}

std::string text_of(const std::string& text) {
  return rewritten(text).text.substr(std::string("# 1 \"k.cu\"\n").size());
}

std::string launch(const std::string& config, const std::string& kernel, const std::string& arguments) {
  return "::cairn::emu::program::Launcher(" + config +
         ")([&](auto... cairn_p) __attribute__((no_sanitize(\"thread\"))) { " + kernel + "(cairn_p...); }" +
         arguments + ")";
}

TEST(Rewrite, ALaunchIsACall) {
  EXPECT_EQ(text_of("f<<<1, 32>>>(a, 2);"), launch("1, 32", "f", ", a, 2") + ";");
  EXPECT_EQ(text_of("if (x) f<<<g, b, 0, s>>>();"), "if (x) " + launch("g, b, 0, s", "f", "") + ";");
}

TEST(Rewrite, TheKernelIsAnyExpressionThatNamesOne) {
  for (const char* kernel :
       {"f<32>", "mine::f", "::mine::f", "mine::f<T, (a > b), 2>", "mine::g<A<B>>::f<C<D>>", "table[2]", "(*pointer)",
        "(f<1>)", "T::template f<3>", "this->kernel", "pick(1)", "row.kernel[i + 1]"}) {
    EXPECT_EQ(text_of(std::string("; ") + kernel + "<<<1, 2>>>(a);"), "; " + launch("1, 2", kernel, ", a") + ";");
  }
}

TEST(Rewrite, WhatStandsBeforeTheKernelStays) {
  EXPECT_EQ(text_of("else f<<<1, 2>>>(a);"), "else " + launch("1, 2", "f", ", a") + ";");
  EXPECT_EQ(text_of("case 1: f<8><<<1, 2>>>(a);"), "case 1: " + launch("1, 2", "f<8>", ", a") + ";");
  EXPECT_EQ(text_of("for (;;) (*p)<<<1, 2>>>(a);"), "for (;;) " + launch("1, 2", "(*p)", ", a") + ";");
}

TEST(Rewrite, LinesKeepTheirNumbers) {
  const std::string text = "f<1,\n 2><<<g(1,\n 2),\n\n 3>>>\n(a,\n b);\nint last;\n", made = text_of(text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(made.begin(), made.end(), '\n')) << made;
  EXPECT_TRUE(made.ends_with("\nint last;\n")) << made;
}

TEST(Rewrite, AKernelBeginsWithBeingFound) {
  const std::string
      enter = " static thread_local char cairn_kernel; if (::cairn::emu::program::entered(&cairn_kernel)) return;",
      is = "__attribute__((noipa))";
  EXPECT_EQ(text_of("__global__ void f(int a) { a; }"),
            is + " void f(int a) {" + enter + " a; } static const ::cairn::emu::program::Known cairn_known_f(f);");
  EXPECT_EQ(text_of("template <> __global__ void f<int>(int (*a)(int)) {}"),
            "template <> " + is + " void f<int>(int (*a)(int)) {" + enter + "}");
  EXPECT_EQ(text_of("__global__ void f(int a);"), is + " void f(int a);") << "a declaration";
  EXPECT_TRUE(
      text_of("static __global__ __attribute__((aligned(4))) void f() noexcept(true) {}")
          .starts_with("static " + is + " __attribute__((aligned(4))) void f() noexcept(true) {" + enter + "}"));
  EXPECT_EQ(rewritten("__global__ void a() {}\ntemplate <int n> __global__ void b() {}\n__global__ void b<2>() {}\n")
                .kernels,
            (Words{"a", "b"}));
}

TEST(Rewrite, ClustersAreHandedToTheLaunch) {
  const std::string dims = "__attribute__((cairn_cluster_dims(n * 2,\n 1)))";
  const std::string entered = "if (::cairn::emu::program::entered(&cairn_kernel, ::dim3(n * 2,  1))) return;";
  for (const std::string& declared :
       std::vector<std::string>{"template <int n> __global__ void " + dims + " f() {",
                                "template <int n> " + dims + " __global__ void f() {"}) {
    const std::string made = text_of(declared + "}\nint last;\n");
    EXPECT_NE(made.find(entered), std::string::npos) << made;
    EXPECT_EQ(made.find("cairn_cluster_dims"), std::string::npos) << made;
    EXPECT_EQ(std::count(made.begin(), made.end(), '\n'), 3) << made;
  }
}

TEST(Rewrite, VariablesMayBeNamedLikeBuiltIns) {
  const std::string grid = "cairn_grid_dim()", local = "cairn_grid_dim_local", block = "cairn_block_dim()";
  EXPECT_EQ(text_of("void f() { dim3 " + grid + "(8); g(" + grid + "); } int a = " + grid + ".x;"),
            "void f() { dim3 " + local + "(8); g(" + local + "); } int a = " + grid + ".x;");
  EXPECT_EQ(text_of("{ dim3 " + block + "(1), " + grid + "(8); { return " + grid + "; } }"),
            "{ dim3 cairn_block_dim_local(1), " + local + "(8); { return " + local + "; } }");
  EXPECT_EQ(text_of("void f(dim3 " + grid + "); void f(dim3 " + grid + ") { " + grid + "; } " + grid + ";"),
            "void f(dim3 " + local + "); void f(dim3 " + local + ") { " + local + "; } " + grid + ";");
  for (const char* use :
       {"{ return %; }", "{ x = a * %.x; }", "{ f(a, %.x); }", "{ config.% = 1; }", "{ if (a) %; }"}) {
    std::string text = use;
    text.replace(text.find('%'), 1, grid);
    EXPECT_EQ(text_of(text), text);
  }
}

TEST(Rewrite, TemplatesAndOverloadsAreNotKnownByAddress) {
  const auto known = [](const std::string& text) { return text_of(text).find("Known") != std::string::npos; };
  EXPECT_TRUE(known("namespace a { __global__ void f(int); __global__ void f(int) {} }"));
  EXPECT_FALSE(known("template <int n> __global__ void f() { { } }"));
  EXPECT_FALSE(known("__global__ void f(int) {}\n__global__ void f(float) {}"));
  EXPECT_FALSE(known("template <class T> __global__ void f(T) {}\n__global__ void f(float) {}"));
}

TEST(Rewrite, AnAlignmentMayFollowShared) {
  EXPECT_EQ(text_of("thread_local alignas(16) float x[4];"), "thread_local __attribute__((aligned(16))) float x[4];");
  EXPECT_EQ(text_of("alignas(16) thread_local float x[4];"), "alignas(16) thread_local float x[4];");
}

TEST(Rewrite, InlinePtxIsABlock) {
  const std::string made = text_of("{\n asm volatile(\"mov.u32\\n\"\n\" %0, %laneid;\" : \"=r\"(x)); }");
  EXPECT_TRUE(made.starts_with("{\n ({ namespace cairn_ptx = ::cairn::emu::ptx; ")) << made;
  EXPECT_TRUE(made.ends_with("})\n; }")) << made;
  EXPECT_EQ(text_of("void f() asm(\"name\");"), "void f() asm(\"name\");") << "a name for the linker";
}

TEST(Rewrite, OnlyTheUsersFilesAreTouched) {
  const std::string text = "# 1 \"/usr/include/x.h\" 1 3\nf<<<1, 2>>>();\n# 1 \"/cairn/emu/y.h\" 1\nf<<<1, 2>>>();\n";
  EXPECT_EQ(rewrite(text, {"/cairn/emu/"}).text, text);
  EXPECT_EQ(text_of("const char* a = \"f<<<1, 2>>>()\";"), "const char* a = \"f<<<1, 2>>>()\";");
  EXPECT_EQ(text_of("__noinline__ void f();"), "__attribute__((noinline)) void f();");
  EXPECT_EQ(text_of("__attribute__((__noinline__)) void f();"), "__attribute__((__noinline__)) void f();");
}

TEST(NvccOptions, AreReadAsNvccReadsThem) {
  const NvccOptions o = parse_nvcc({"-c", "-o", "x.o", "-Iinc", "-I", "more", "-DN=4", "-D", "M", "-std=c++17", "-O3",
                                    "-arch=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-Xcompiler",
                                    "-Wall,-fopenmp", "-lineinfo", "--expt-relaxed-constexpr", "a.cu"});
  EXPECT_EQ(o.stage, Stage::compile);
  EXPECT_EQ(o.output, "x.o");
  EXPECT_EQ(o.standard, "17");
  EXPECT_EQ(o.preprocess, (Words{"-I", "inc", "-I", "more", "-D", "N=4", "-D", "M"}));
  EXPECT_EQ(o.compile, (Words{"-Wall", "-fopenmp"}));
  EXPECT_EQ(o.inputs, (Words{"a.cu"}));
  EXPECT_EQ(o.architecture, 900) << "the newest";
  EXPECT_EQ(parse_nvcc({"a.cu"}).architecture, 0);
}

TEST(NvccOptions, ALinkKeepsItsOrder) {
  const NvccOptions o = parse_nvcc({"a.o", "-L/x", "libb.a", "-lm", "-Xlinker", "-rpath,/y", "-o", "p"});
  EXPECT_EQ(o.stage, Stage::link);
  EXPECT_EQ(o.inputs, (Words{"a.o", "libb.a", "-lm"}));
  EXPECT_EQ(o.link, (Words{"-L/x", "-Xlinker", "-rpath", "-Xlinker", "/y"}));
}

std::string complaint(const Words& words) {
  try {
    (void)parse_nvcc(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kUsage);
    return error.what();
  }
  return "";
}

TEST(NvccOptions, WhatThereIsNotIsSaid) {
  EXPECT_EQ(complaint({"-ptx", "a.cu"}), "-ptx: there is no PTX: kernels run as C++");
  EXPECT_EQ(complaint({"-shared", "a.cu"}),
            "-shared: kernels in a shared library are not emulated; link its objects");
  EXPECT_EQ(complaint({"--no-such-thing"}), "--no-such-thing: no option of nvcc that cairn-nvcc knows");
  EXPECT_EQ(complaint({"-std=c++98x"}), "-std 'c++98x': there are c++11, c++14, c++17, c++20 and c++23");
  EXPECT_EQ(complaint({"a.cu", "-o"}), "-o: its value is missing");
  EXPECT_EQ(complaint({"-forward-unknown-to-host-compiler", "-fno-rtti", "a.cu"}), "");
}

TEST(Sections, OfWhatIsNoObjectThereAreNone) {
  EXPECT_FALSE(section("/proc/self/exe", ".cairn.nothing"));
  EXPECT_TRUE(section("/proc/self/exe", ".text"));
  EXPECT_FALSE(section(__FILE__, ".text"));
  EXPECT_FALSE(section("/nowhere", ".text"));
}

TEST(Sections, ATwinIsScrambledAndBack) {
  EXPECT_NE(scrambled("INFO:compiler[NVIDIA]"), "INFO:compiler[NVIDIA]");
  EXPECT_EQ(scrambled(scrambled("INFO:compiler[NVIDIA]")), "INFO:compiler[NVIDIA]");
}

TEST(ShortNames, LongTemplateArgumentsAreLeftOut) {
  EXPECT_EQ(short_name("tile<32, 8>"), "tile<32, 8>");
  EXPECT_EQ(short_name("mine::tile<" + std::string(600, 'x') + ">"), "mine::tile<…>");
  EXPECT_EQ(short_name(std::string(100, 'x')), std::string(100, 'x'));
}

}  // namespace
}  // namespace cairn::lab::program
