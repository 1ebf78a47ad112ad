// cairn diff from inside: the diff of sequences, C++ as tokens and statements, moved blocks, a rung's head.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/diff/changes.hpp"
#include "lab/diff/normalize.hpp"
#include "lab/diff/rung_source.hpp"
#include "lab/diff/sequence.hpp"
#include "lab/diff/tokens.hpp"
#include "lab/exit.hpp"

namespace cairn::lab::diff {
namespace {

// How long the longest common subsequence is, by the textbook's table.
std::size_t longest_common(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
  return table.back().back();
}

TEST(Sequence, IsACommonSubsequenceAndALongestOneWhereNothingIsUnique) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const bool repeated = round % 2 == 0;
    const auto draw = [&] {
      std::vector<int> numbers(random() % 12);
      for (int& n : numbers) n = static_cast<int>(random() % (repeated ? 3 : 15));
      if (repeated) numbers.insert(numbers.end(), numbers.begin(), numbers.end());  // nothing occurs once
      return numbers;
    };
    const std::vector<int> a = draw(), b = draw();
    const auto found = common(a, b);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(a.at(found[i].first), b.at(found[i].second));
      ASSERT_TRUE(i == 0 || (found[i - 1].first < found[i].first && found[i - 1].second < found[i].second));
    }
    if (repeated && a.size() > 1 && b.size() > 1 && a.front() != b.front() && a.back() != b.back()) {
      ASSERT_EQ(found.size(), longest_common(a, b));
    }
  }
}

TEST(Sequence, UniqueElementsAreMatchedFirst) {
  // 9 is a brace, and 1, 2, 3 are functions: a function was put before the others.
  const std::vector<int> old = {2, 9, 3, 9}, now = {1, 9, 2, 9, 3, 9};
  const std::vector<Match> wanted = {{0, 2}, {1, 3}, {2, 4}, {3, 5}};
  EXPECT_EQ(common(old, now), wanted);
  EXPECT_TRUE(common({}, now).empty());
  EXPECT_TRUE(common(old, {}).empty());
}

std::string joined(std::string_view text) {
  std::string all;
  for (const SourceToken& token : tokenize(text).tokens) all += (all.empty() ? "" : " ") + token.text;
  return all;
}

TEST(Tokens, CommentsGoAndWhatOnlyLooksLikeOneStays) {
  EXPECT_EQ(joined("a; // b\nc; /* d\ne */ f"), "a ; c ; f");
  EXPECT_EQ(joined(R"(s = "no // comment"; t = "\"/*"; u = '"'; v)"),
            R"(s = "no // comment" ; t = "\"/*" ; u = '"' ; v)");
  EXPECT_EQ(joined("R\"x(a // \" )\" b)x\" /* c */ d"), "R\"x(a // \" )\" b)x\" d");
  EXPECT_EQ(joined("u8R\"(//)\" u8\"//\" L'/'"), "u8R\"(//)\" u8\"//\" L'/'");
  EXPECT_EQ(joined("1'000'000 0x1p-7 1.5e+3f .5"), "1'000'000 0x1p-7 1.5e+3f .5");
  EXPECT_EQ(joined("a+++b<<=c->d::e"), "a ++ + b <<= c -> d :: e");
  EXPECT_EQ(joined("// goes on \\\nto here\nx"), "x");
  EXPECT_EQ(joined("a / b"), "a / b");
}

TEST(Tokens, LinesAreThoseOfTheFile) {
  const Tokens crlf = tokenize("a; // c\r\n\r\nR\"(x\r\ny)\";\r\n");
  ASSERT_EQ(crlf.tokens.size(), 5u);
  EXPECT_EQ(crlf.tokens[2].text, "R\"(x");
  EXPECT_EQ(crlf.tokens[2].line, 3);
  EXPECT_EQ(crlf.tokens[3].text, "y)\"");
  EXPECT_EQ(crlf.tokens[3].line, 4);
  EXPECT_EQ(crlf.lines[0], "a;");
  EXPECT_EQ(crlf.lines[2], "R\"(x");
}

TEST(Tokens, WhatDoesNotEndEndsWithTheFile) {
  for (const char* text :
       {"",       "\n", "\\", "/",    "/*",   "/* a",   "\"", "\"a", "'\\",      "R\"", "R\"x", "R\"x(",
        "R\"(a)", "#",  "//", "//\\", "\\\n", "\\\r\n", "0x", "1'",  "\xff\xfe", "}",   ")}])"}) {
    EXPECT_NO_THROW(tokenize(text)) << text;
    EXPECT_NO_THROW(normalized(text, {"simt/12_a", "A"})) << text;
  }
  const std::string nul("a\0b", 3);
  EXPECT_EQ(tokenize(nul).tokens.size(), 3u);
}

std::vector<std::string> statements(std::string_view text) {
  std::vector<std::string> keys;
  for (const Statement& s : normalized(text, {}).statements) keys.push_back(s.key.substr(0, s.key.size() - 1));
  return keys;
}

TEST(Normalize, StatementsEndAtSemicolonsBlocksAndDirectives) {
  using List = std::vector<std::string>;
  EXPECT_EQ(statements("for (int i = 0; i < n; ++i)\n  f(i);"), List{"for ( int i = 0 ; i < n ; ++ i ) f ( i ) ;"});
  EXPECT_EQ(statements("int a[] = {{1, 2}, {3}};\nint b{4};"),
            (List{"int a [ ] = { { 1 , 2 } , { 3 } } ;", "int b { 4 } ;"}));
  EXPECT_EQ(statements("struct T {\n  int x;\n};"), (List{"struct T {", "int x ;", "} ;"}));
  EXPECT_EQ(statements("if (a) {\n  b;\n} else {\n  c;\n}\nd;"),
            (List{"if ( a ) {", "b ;", "} else {", "c ;", "}", "d ;"}));
  EXPECT_EQ(statements("f([&] {\n  a;\n});\ng;"), (List{"f ( [ & ] {", "a ;", "} ) ;", "g ;"}));
  EXPECT_EQ(statements("#pragma unroll\na;\n#define X \\\n  1\nb"),
            (List{"# pragma unroll", "a ;", "# define X 1", "b"}));
  EXPECT_EQ(statements("a\n#if 1\nb;"), (List{"a", "# if 1", "b ;"}));
  EXPECT_EQ(statements("template <class T> T f(T x) { return {x}; }"),
            (List{"template < class T > T f ( T x ) {", "return { x } ;", "}"}));
  EXPECT_EQ(statements("namespace a::b {\n}"), (List{"namespace a :: b {", "}"}));
}

TEST(Normalize, ARungsOwnNamesAreNoDifference) {
  const auto key = [](const char* text, const OwnNames& names) {
    std::string all;
    for (const CodeLine& line : normalized(text, names).lines) all += line.key;
    return all;
  };
  EXPECT_EQ(key("namespace cairn::simt_12 { k<simt_12_a<1>>; extern __shared__ float4 simt_12_shared[]; \n"
                "Rung r = {.id = \"simt/12_a\", .title = \"A\"}; #include \"kernels/simt/12_a/x.hpp\"",
                {"simt/12_a", "A"}),
            key("namespace cairn::hopper_59 { k<hopper_59_bc<1>>; extern __shared__ float4 bytes[]; \n"
                "Rung r = {.id = \"hopper/59_bc\", .title = \"B, c\"}; #include \"kernels/hopper/59_bc/x.hpp\"",
                {"hopper/59_bc", "B, c"}));
  // Those of another rung are.
  EXPECT_NE(key("simt_12_a", {"simt/12_a", ""}), key("simt_12_a", {"simt/13_b", ""}));
  EXPECT_NE(key("simt_120", {"simt/12_a", ""}), key("simt_130", {"simt/13_b", ""}));
  EXPECT_EQ(key("probe_copy probe_copy_shared", {"probe/copy", ""}), key("probe_x probe_x_shared", {"probe/x", ""}));
}

TEST(Normalize, KeepsTheTextOfALine) {
  const Code code = normalized("\n// head\n  int  a = 1;  // one\n\n  s = \"// no\";\r\nlast", {"simt/12_a", ""});
  ASSERT_EQ(code.lines.size(), 3u);
  EXPECT_EQ(code.lines[0].text, "  int  a = 1;");
  EXPECT_EQ(code.lines[0].number, 3);
  EXPECT_EQ(code.lines[1].text, "  s = \"// no\";");
  EXPECT_EQ(code.lines[2].text, "last");
  EXPECT_EQ(code.lines[2].number, 6);
}

// "-a;" "+b;" " c;": each change as a line of text.
std::vector<std::string> shown(const Code& old, const Code& now, bool find_moves = true) {
  std::vector<std::string> lines;
  for (const Change& change : compare(old, now, find_moves).lines) {
    const char sign = " -+<>"[static_cast<int>(change.kind)];
    if (change.now) lines.push_back(sign + now.lines[*change.now].text);
    if (!change.now && change.kind != Kind::same) lines.push_back(sign + old.lines[*change.old].text);
  }
  return lines;
}

std::vector<std::string> shown(std::string_view old, std::string_view now) {
  return shown(normalized(old, {}), normalized(now, {}));
}

using List = std::vector<std::string>;

TEST(Changes, LineBreaksCommentsAndSpacesAreNone) {
  const Code one = normalized("void f(int a, int b) { return a; }\n#pragma unroll\nfor (;;) x = g(1, 2);", {});
  const Code other = normalized(
      "// a comment\nvoid f(int a,\n       int b) {\n  return a;  // b\n}\n\n#pragma unroll\r\nfor (;;)\n  x = "
      "g(1,\n 2);\n",
      {});
  for (const auto& [a, b] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    const Changes changes = compare(*a, *b, true);
    EXPECT_EQ(changes.added + changes.removed + changes.moved, 0);
    std::size_t old = 0, now = 0;  // every line is there once, in its order
    for (const Change& change : changes.lines) {
      EXPECT_TRUE(!change.old || *change.old == old++);
      EXPECT_TRUE(!change.now || *change.now == now++);
    }
    EXPECT_EQ(old, a->lines.size());
    EXPECT_EQ(now, b->lines.size());
  }
}

TEST(Changes, OfALongStatementOnlyTheLinesThatDiffer) {
  EXPECT_EQ(shown("return a &&\n  b &&\n  c;", "return a &&\n  d &&\n  c;"),
            (List{" return a &&", "-  b &&", "+  d &&", "   c;"}));
}

// A line that has a changed statement is shown as changed, and with it the others on it wherever they were.
TEST(Changes, StatementsOfOneLineChangeTogether) {
  EXPECT_EQ(shown("f() {\n  a;\n}", "f() { b; }"), (List{"-f() {", "-  a;", "-}", "+f() { b; }"}));
}

TEST(Changes, ABlockAtAnotherPlaceIsMoved) {
  const std::string block = "  const int where = find(something, other);\n  use(where);\n";
  const List wanted = {" f() {",
                       "<  const int where = find(something, other);",
                       "<  use(where);",
                       " a;",
                       "+b;",
                       " }",
                       " g() {",
                       ">  const int where = find(something,",
                       ">      other);",
                       ">  use(where);",
                       " }"};
  const std::string broken = "  const int where = find(something,\n      other);\n  use(where);\n";
  const Code old = normalized("f() {\n" + block + "a;\n}\ng() {\n}", {});
  const Code now = normalized("f() {\na;\nb;\n}\ng() {\n" + broken + "}", {});
  EXPECT_EQ(shown(old, now), wanted);
  const Changes changes = compare(old, now, true);
  ASSERT_EQ(changes.moves.size(), 1u);
  EXPECT_EQ(changes.moved, 3);
  EXPECT_EQ(changes.added, 1);
  EXPECT_EQ(changes.removed, 0);
  EXPECT_EQ(compare(old, now, false).added, 4);
}

TEST(Changes, AFewCommonWordsOrTheHeadOfALoopAreNotMoved) {
  const auto moves = [](const std::string& old, const std::string& now) {
    return compare(normalized(old, {}), normalized(now, {}), true).moves.size();
  };
  EXPECT_EQ(moves("f();\na1;\na2;\na3;", "a1;\na2;\na3;\nf();"), 0u);
  EXPECT_EQ(moves("function_of_many_words(a);\na1;\na2;\na3;", "a1;\na2;\na3;\nfunction_of_many_words(a);"), 1u);
  const std::string head = "#pragma unroll\nfor (int number = 0; number < count; ++number) {\n";
  const std::string others = "b1;\nb2;\nb3;\nb4;\nb5;\nb6;\n";
  EXPECT_EQ(moves(head + "a;\n}\n" + others, others + head + "c;\n}\n"), 0u);
  EXPECT_EQ(moves(head + "a;\n}\n" + others, others + head + "a;\n}\n"), 1u);
}

TEST(Changes, EmptyFilesAndFilesOfOneLine) {
  EXPECT_TRUE(shown("", "").empty());
  EXPECT_TRUE(shown("", "// only a comment\n").empty());
  EXPECT_EQ(shown("", "a;"), List{"+a;"});
  EXPECT_EQ(shown("a;\n", ""), List{"-a;"});
  EXPECT_TRUE(shown(as_it_is(""), as_it_is(""), false).empty());
}

TEST(Changes, AsItIsSeesEverything) {
  EXPECT_EQ(shown(as_it_is("a\nb"), as_it_is("a\nb\n"), false), (List{" a", "-b", "+b"}));
  EXPECT_EQ(shown(as_it_is("a\r\nb\n"), as_it_is("a\nb\n"), false), (List{"-a\r", "+a", " b"}));
  EXPECT_EQ(shown(as_it_is("// a\n\n"), as_it_is("// b\n\n"), false), (List{"-// a", "+// b", " "}));
}

TEST(RungSource, TheHeadNamesTheParent) {
  EXPECT_EQ(parent_in_head("// 10 · V\n//\n// From    simt/09_register_tile\n// Idea    x\n#include \"y\"\n"),
            "simt/09_register_tile");
  EXPECT_EQ(parent_in_head("// 01\r\n//\r\n// From    -\r\n// Idea\r\n"), "-");
  EXPECT_EQ(parent_in_head("\xEF\xBB\xBF// From a/1\n"), "a/1");
  EXPECT_EQ(parent_in_head("// From a/1"), "a/1");
  EXPECT_EQ(parent_in_head("// 01\n#include <x>\n// From    simt/09_register_tile\n"), "");  // below the head
  EXPECT_EQ(parent_in_head("// Idea    From simt/09\n//         From\n"), "");
  EXPECT_EQ(parent_in_head("// Fromage simt/09\n"), "");
  EXPECT_EQ(parent_in_head(""), "");
}

// The exit code and the words with which `f` complains.
template <class F> std::pair<int, std::string> complaint(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {0, ""};
}

TEST(RungSource, RungsAreFoundByIdOrByAPrefixOfOne) {
  const std::vector<OwnNames> all = {{"simt/01_a", ""}, {"simt/01_ab", ""}, {"simt/02_c", ""}};
  EXPECT_EQ(find_rung("simt/02", all).id, "simt/02_c");
  EXPECT_EQ(find_rung("simt/01_a", all).id, "simt/01_a");
  const std::pair<int, std::string> several(2, "'simt/01' could be simt/01_a, simt/01_ab; write more of the id");
  EXPECT_EQ(complaint([&] { find_rung("simt/01", all); }), several);
  for (const char* none : {"simt/03", "", "02_c", "simt/02_c@1"})
    EXPECT_EQ(complaint([&] { find_rung(none, all); }).first, 2) << none;
}

TEST(RungSource, TellsWhyThereIsNoParent) {
  const std::vector<OwnNames> all = {{"simt/01_a", ""}, {"simt/02_b", ""}};
  const auto says = [&](const char* parent) {
    return complaint([&] { parent_of({all[1], "kernels/simt/02_b.cu", "", parent}, all); });
  };
  EXPECT_EQ(says("simt/01_a").first, 0);
  EXPECT_NE(says("-").second.find("is the first of its trail"), std::string::npos);
  EXPECT_NE(says("").second.find("'// From'"), std::string::npos);
  EXPECT_EQ(says("simt/01").first, 1);  // a prefix will not do: the id is what readers look for
  EXPECT_EQ(says("simt/99_z").second, "kernels/simt/02_b.cu: '// From simt/99_z' is no rung of the ladder");
}

TEST(RungSource, WithoutSourcesItIs77) {
  const auto [code, words] = complaint([] { read_rung({"simt/01_a", ""}, {"/nowhere", "/nor/here"}); });
  EXPECT_EQ(code, 77);
  EXPECT_EQ(
      words,
      "kernels/simt/01_a.cu is not in /nowhere, nor in /nor/here; --source DIR names a folder with Cairn's sources");
}

}  // namespace
}  // namespace cairn::lab::diff
