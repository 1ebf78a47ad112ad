// Inline PTX: its text as instructions, and instructions as C++.
#include <gtest/gtest.h>

#include "lab/program/ptx/instruction.hpp"
#include "lab/program/ptx/translate.hpp"

namespace cairn::lab::program {
namespace {

using Words = std::vector<std::string>;
using Kind = PtxLine::Kind;

std::vector<Kind> kinds(const std::string& text) {
  std::vector<Kind> all;
  for (const PtxLine& line : parse_ptx(text).value_or(std::vector<PtxLine>{})) all.push_back(line.kind);
  return all;
}

TEST(Ptx, IsReadLineByLine) {
  EXPECT_EQ(kinds("{ .reg .pred p; // a comment; with a semicolon\n LOOP: @p bra LOOP; /* ; */ }"),
            (std::vector{Kind::open, Kind::registers, Kind::label, Kind::instruction, Kind::close}));
  const auto lines = parse_ptx("@!p  cp.async.cg.shared.global\t[%0 + 16], [%1], 16;").value();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].guard, "p");
  EXPECT_TRUE(lines[0].guard_inverted);
  EXPECT_EQ(lines[0].words, (Words{"cp", "async", "cg", "shared", "global"}));
  ASSERT_EQ(lines[0].operands.size(), 3u);
  EXPECT_EQ(lines[0].operands[0].kind, PtxOperand::Kind::address);
  EXPECT_EQ(lines[0].operands[0].parts[1].text, "16");
  EXPECT_EQ(lines[0].operands[2].kind, PtxOperand::Kind::number);
}

TEST(Ptx, OperandsHaveTheirKinds) {
  const auto operands = parse_ptx("x.y {%0, %1}, [%2, {%3, -4}], d|p, !q, 0f3F800000, %%laneid;").value()[0].operands;
  ASSERT_EQ(operands.size(), 6u);
  EXPECT_EQ(operands[0].kind, PtxOperand::Kind::list);
  EXPECT_EQ(operands[1].parts[1].kind, PtxOperand::Kind::list);
  EXPECT_EQ(operands[1].parts[1].parts[1].text, "-4");
  EXPECT_EQ(operands[2].kind, PtxOperand::Kind::pair);
  EXPECT_TRUE(operands[3].inverted);
  EXPECT_EQ(operands[4].kind, PtxOperand::Kind::number);
  EXPECT_EQ(operands[5].text, "%laneid");
}

TEST(Ptx, WhatCannotBeReadIsNothing) {
  EXPECT_FALSE(parse_ptx("mov.u32 %0, ;").has_value());
  EXPECT_FALSE(parse_ptx("ld.global.f32 %0, [%1").has_value());
  EXPECT_FALSE(parse_ptx("@p").has_value());
}

// The statement of `asm volatile(…)`.
AsmStatement statement(const std::string& text) {
  std::vector<Token> tokens;
  Lexer lexer(text);
  for (Token token = lexer.next(); !token.text.empty(); token = lexer.next()) tokens.push_back(token);
  return parse_asm(tokens, text).value_or(AsmStatement{});
}

TEST(Asm, OperandsAreReadWithTheirConstraints) {
  const AsmStatement read =
      statement("\"a \\n\\t\" R\"(b \\n)\" : \"=r\"(x[1]), [n] \"+f\"(y) : \"l\"(f(a, b)) : \"memory\"");
  EXPECT_EQ(read.text, "");  // named operands are not nvcc's
  const AsmStatement plain =
      statement("\"a \\n\" R\"(b \\n)\" : \"=r\"(x[1]), \"+f\"(y) : \"l\"(f(a, b)) : \"memory\"");
  EXPECT_EQ(plain.text, "a \nb \\n");
  ASSERT_EQ(plain.operands.size(), 3u);
  EXPECT_TRUE(plain.operands[0].output && !plain.operands[0].input);
  EXPECT_TRUE(plain.operands[1].output && plain.operands[1].input);
  EXPECT_EQ(plain.operands[2].constraint, "l");
  EXPECT_EQ(plain.operands[2].expression, "(f(a, b))");
  EXPECT_EQ(statement("\"x;\" ::\"r\"(a)").operands.size(), 1u) << ":: is two colons";
}

std::string translated(const std::string& text) { return translate(statement(text), {"k.cu", 7, ""}); }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Ptx, OperandsAreVariables) {
  const std::string text = translated("\"add.s32 %0, %1, -4;\" : \"=r\"(d) : \"r\"(a)");
  EXPECT_TRUE(has(text, "std::uint32_t cairn_v0; ")) << text;
  EXPECT_TRUE(has(text, "std::uint32_t cairn_v1 = cairn_ptx::in<std::uint32_t>((a)); ")) << text;
  EXPECT_TRUE(has(text,
                  "cairn_ptx::put(cairn_v0, cairn_ptx::add<std::int32_t>(cairn_ptx::as<std::int32_t>(cairn_v1), "
                  "cairn_ptx::constant<std::int32_t>(-4)));"))
      << text;
  EXPECT_TRUE(has(text, "cairn_ptx::out((d), cairn_v0); })")) << text;
}

TEST(Ptx, AnInstructionThatIsNotEmulatedIsRefusedAlone) {
  const std::string text = translated("\"mov.u32 %0, 1; vadd.u32.u32.u32 %0, %0, 2;\" : \"=r\"(d)");
  EXPECT_TRUE(has(text, "cairn_ptx::put(cairn_v0")) << text;
  EXPECT_TRUE(has(text, "refuse_ptx(\"vadd.u32.u32.u32 %0, %0, 2\", \"k.cu\", 7);")) << text;
  for (const char* form :
       {"add.rz.f32 %0, %0, %0;", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 %0, %0, %0, %0;",
        "ld.local.u32 %0, [%0];", "mov.u32 %0, %unknown;", "mov.u32 %0, %7;", "mov.u32 %0, undeclared;"}) {
    EXPECT_TRUE(has(translated(std::string("\"") + form + "\" : \"=r\"(d)"), "refuse_ptx(\"")) << form;
  }
}

TEST(Ptx, GuardsAndBranches) {
  const std::string text =
      translated("\"{ .reg .pred p; L: setp.ne.b32 p, %0, 0; @!p mov.b32 %0, 1; @p bra L; }\" : \"+r\"(d)");
  EXPECT_TRUE(has(text, "__label__ cairn_l_L; { bool cairn_r_p; cairn_l_L: ; ")) << text;
  EXPECT_TRUE(has(text, "if (!cairn_r_p) { cairn_ptx::put(cairn_v0")) << text;
  EXPECT_TRUE(has(text, "if (cairn_r_p) { goto cairn_l_L; }")) << text;
  EXPECT_TRUE(has(translated("\"@q mov.b32 %0, 1;\" : \"+r\"(d)"), "refuse_ptx")) << "q is not declared";
}

TEST(Ptx, WgmmaHasItsAccumulatorsWhereTheyAre) {
  const std::string text = translated(
      "\"{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 1; }\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) "
      ": \"l\"(a), \"l\"(b), \"r\"(add)");
  EXPECT_TRUE(has(text, "auto&& cairn_v0 = (d[0]);")) << text;
  EXPECT_FALSE(has(text, "out((d[0])")) << text;
  EXPECT_TRUE(has(text, "wgmma<::cairn::fragment::Type::f16, 8>(cairn_ptx::places<float>({&cairn_v0, ")) << text;
}

TEST(Ptx, NoTextIsAFence) { EXPECT_EQ(translated("\"\" ::: \"memory\""), "((void)0)"); }

}  // namespace
}  // namespace cairn::lab::program
