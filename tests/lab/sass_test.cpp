// Machine code as cuobjdump prints it.
#include "lab/profile/sass.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab::profile {
namespace {

// Two functions, the first for two GPUs; cut down from what cuobjdump prints, its encodings shortened.
constexpr const char* kPrinted = R"sass(
Fatbin elf code:
================
arch = sm_80

	code for sm_80
		Function : _Z5firstv
	.headerflags	@"EF_CUDA_SM80"
        /*0000*/                   MOV R1, c[0x0][0x28] ;                          /* 0x0000000000007b1d */
                                                                                   /* 0x00000000fe200000 */
        /*0010*/                   EXIT ;                                          /* 0x0000000000007b1e */
                                                                                   /* 0x00000000fe200000 */
        /*0020*/                   BRA 0x20 ;                                      /* 0x0000000000007b1f */
                                                                                   /* 0x00000000fe200000 */
		..........

	code for sm_90a
	.target	sm_90a

		Function : _Z5firstv
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                          /* 0x0000000000007b1d */
                                                                                   /* 0x00000000fe200000 */
        /*0100*/              @!P0 BRA 0xab0 ;                                     /* 0x0000000000007b1e */
                                                                                   /* 0x00000000fe200000 */
        /*0110*/                   LDG.E.128.CONSTANT R4, desc[UR12][R8.64] ;      /* 0x0000000000007b1f */
                                                                                   /* 0x00000000fe200000 */
        /*0120*/               @P0 LDG.E R5, desc[UR12][R8.64] ;                   /* 0x0000000000007b20 */
                                                                                   /* 0x00000000fe200000 */
        /*0130*/              @!PT LDS RZ, [RZ] ;                                  /* 0x0000000000007b21 */
                                                                                   /* 0x00000000fe200000 */
        /*0140*/                   LDGSTS.E.BYPASS.LTC128B.128 [R2], [R4.64] ;     /* 0x0000000000007b22 */
                                                                                   /* 0x00000000fe200000 */
        /*0150*/                   STS.128 [R10], R4 ;                             /* 0x0000000000007b23 */
                                                                                   /* 0x00000000fe200000 */
        /*0160*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;                   /* 0x0000000000007b24 */
                                                                                   /* 0x00000000fe200000 */
        /*0170*/                   LDS R12, [R11] ;                                /* 0x0000000000007b25 */
                                                                                   /* 0x00000000fe200000 */
        /*0180*/                   LDS.64 R14, [R11+0x10] ;                        /* 0x0000000000007b26 */
                                                                                   /* 0x00000000fe200000 */
        /*0190*/                   FFMA R20, R12, R14, R20 ;                       /* 0x0000000000007b27 */
                                                                                   /* 0x00000000fe200000 */
        /*01a0*/                   FFMA R21, R12, R15, R21 ;                       /* 0x0000000000007b28 */
                                                                                   /* 0x00000000fe200000 */
        /*01b0*/                   IMAD.IADD R54, R7, 0x1, -R54 ;                  /* 0x0000000000007b29 */
                                                                                   /* 0x00000000fe200000 */
        /*01c0*/                   IADD3 R11, R11, 0x4, RZ ;                       /* 0x0000000000007b2a */
                                                                                   /* 0x00000000fe200000 */
        /*01d0*/               @P1 BRA 0x170 ;                                     /* 0x0000000000007b2b */
                                                                                   /* 0x00000000fe200000 */
        /*01e0*/                   STL [R1], R20 ;                                 /* 0x0000000000007b2c */
                                                                                   /* 0x00000000fe200000 */
        /*01f0*/              @!P0 BRA 0x110 ;                                     /* 0x0000000000007b2d */
                                                                                   /* 0x00000000fe200000 */
        /*0200*/                   EXIT ;                                          /* 0x0000000000007b2e */
                                                                                   /* 0x00000000fe200000 */
        /*0210*/                   BRA 0x210 ;                                     /* 0x0000000000007b2f */
                                                                                   /* 0x00000000fe200000 */
		..........


		Function : _Z6secondv
        /*0000*/                   EXIT ;                                          /* 0x0000000000007b1d */
                                                                                   /* 0x00000000fe200000 */
)sass";

TEST(Sass, FunctionsAndTheirInstructionsAreRead) {
  const auto all = read_sass(kPrinted);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "_Z5firstv");
  EXPECT_EQ(all[0].arch, 80);
  EXPECT_EQ(all[0].code.size(), 3u);
  EXPECT_EQ(all[1].arch, 90);
  ASSERT_EQ(all[1].code.size(), 19u);
  EXPECT_EQ(all[1].code[1].opcode, "BRA");
  EXPECT_EQ(all[1].code[1].guard, "@!P0");
  EXPECT_EQ(all[1].code[1].target, 0xab0);
  EXPECT_EQ(all[1].code[2].opcode, "LDG.E.128.CONSTANT");
  EXPECT_EQ(all[1].code[2].address, 0x110);
  EXPECT_EQ(all[1].code[2].target, -1);
  EXPECT_EQ(all[2].name, "_Z6secondv");
  EXPECT_TRUE(read_sass("").empty());
  EXPECT_TRUE(read_sass("cuobjdump fatal   : no such file").empty());
}

TEST(Sass, TheNewestBuildThatTheGpuRunsIsFound) {
  const auto all = read_sass(kPrinted);
  EXPECT_EQ(find_function(all, "_Z5firstv", 90), &all[1]);
  EXPECT_EQ(find_function(all, "_Z5firstv", 86), &all[0]);
  EXPECT_EQ(find_function(all, "_Z5firstv", 75), nullptr);
  EXPECT_EQ(find_function(all, "_Z5third", 90), nullptr);
}

TEST(Sass, TheLongestLoopIsCounted) {
  const auto all = read_sass(kPrinted);
  const Mix loop = longest_loop(all[1]);
  EXPECT_EQ(loop.instructions, 15);  // 0x110 to 0x1f0
  EXPECT_EQ(loop.loops, 1);
  EXPECT_EQ(loop.ffma, 2);
  EXPECT_EQ(loop.lds[0], 2);
  EXPECT_EQ(loop.lds[1], 1);
  EXPECT_EQ(loop.lds[2], 0);
  EXPECT_EQ(loop.sts[2], 1);
  EXPECT_EQ(loop.ldg[0], 1);
  EXPECT_EQ(loop.ldg[2], 1);
  EXPECT_EQ(loop.ldgsts[2], 1);  // LTC128B is a hint, not a width
  EXPECT_EQ(loop.integer, 2);
  EXPECT_EQ(loop.local, 1);
  EXPECT_EQ(loop.barriers, 1);
  EXPECT_EQ(loop.predicated, 4);
  EXPECT_EQ(loop.never, 1);
  EXPECT_EQ(facts(loop).at("loop_ldg_16"), 1);
  EXPECT_EQ(facts(loop).at("loop_instructions"), 15);
}

TEST(Sass, ABranchToItselfIsNoLoop) {
  const auto all = read_sass(kPrinted);
  EXPECT_EQ(longest_loop(all[0]).instructions, 0);
  EXPECT_EQ(longest_loop(all[2]).instructions, 0);
}

class Disassembling : public ::testing::Test {
 protected:
  ~Disassembling() override {
    ::unsetenv("CAIRN_CUOBJDUMP");
    std::filesystem::remove(tool_);
  }
  void says(const std::string& text) {
    std::ofstream script(tool_);
    script << "#!/bin/sh\ncat <<'END'\n" << text << "\nEND\n";
    script.close();
    std::filesystem::permissions(tool_, std::filesystem::perms::owner_all);
  }

  std::string tool_ =
      (std::filesystem::path(::testing::TempDir()) / ("cuobjdump_" + std::to_string(::getpid()))).string();
};

TEST_F(Disassembling, TheToolIsRunAndRead) {
  says(kPrinted);
  ::setenv("CAIRN_CUOBJDUMP", tool_.c_str(), 1);
  EXPECT_EQ(find_cuobjdump(), tool_);
  EXPECT_EQ(disassemble(tool_, "/bin/true", {"_Z5firstv"}).size(), 3u);
}

TEST_F(Disassembling, WhatIsMissingIsSaid) {
  ::setenv("CAIRN_CUOBJDUMP", tool_.c_str(), 1);
  try {
    (void)find_cuobjdump();
    FAIL() << "nothing is there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kLacking);
    EXPECT_NE(std::string(error.what()).find(tool_), std::string::npos) << error.what();
  }
  says("cuobjdump info    : File '/bin/true' does not contain device code");
  try {
    (void)disassemble(tool_, "/bin/true", {"_Z5firstv"});
    FAIL() << "there is no device code";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not contain device code"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cairn::lab::profile
