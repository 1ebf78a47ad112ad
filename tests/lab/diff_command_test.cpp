// cairn diff from outside, on a small tree of its own (--source) and on the tree this was built from.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

namespace fs = std::filesystem;

void expect_complaint(const std::string& arguments, int code, const std::string& hint) {
  const Ran ran = run_cairn("diff " + arguments);
  EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_TRUE(ran.err.starts_with("cairn: ")) << arguments << "\n" << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << "\n" << ran.err;
  EXPECT_NE(ran.err.find(hint), std::string::npos) << arguments << "\n" << ran.err;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The rungs of this build with sources of our own: each has a line of its number, and comes from the one before it.
const std::string& a_tree() {
  static const std::string name = [] {
    std::string before, trail;
    for (const auto& row : nlohmann::json::parse(run_cairn("list --device emu --format json").out)) {
      const std::string id = row["id"];
      const std::size_t slash = id.find('/');
      if (slash == std::string::npos || id.starts_with("cairn/")) continue;
      if (trail != id.substr(0, slash)) trail = id.substr(0, slash), before = "-";
      const fs::path file = scratch() / "tree/kernels" / (id + ".cu");
      fs::create_directories(file.parent_path());
      std::ofstream(file) << "// " << id << "\n//\n// From    " << before
                          << "\n// Idea    x\nint before;\nint x = " << std::hash<std::string>{}(id) << ";  // " << id
                          << "\nint after;\n";
      before = id;
    }
    return "tree";
  }();
  return name;
}

// Gives one rung of the tree another source, and its own back at the end.
class Instead {
 public:
  Instead(const std::string& id, const std::string& text)
      : file_(scratch() / a_tree() / "kernels" / (id + ".cu")), old_(slurp(file_)) {
    std::ofstream(file_, std::ios::binary) << text;
  }
  ~Instead() { std::ofstream(file_, std::ios::binary) << old_; }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  fs::path file_;
  std::string old_;
};

TEST(DiffCommand, ARungAgainstItsParentOrAnother) {
  const std::string where = " --source " + a_tree();
  const Ran ran = run_cairn("diff simt/12" + where);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(
      ran.out.starts_with("--- kernels/simt/11_a_transposed.cu\n+++ kernels/simt/12_a_transposed_vec4.cu\n@@ -5 +5 "
                          "@@\n int before;\n-int x"))
      << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n int after;\n11 -> 12: 1 line added, 1 removed, 0 moved, of 3 (raw: 3 and 3)\n"))
      << ran.out;
  EXPECT_TRUE(has(run_cairn("diff simt/12 simt/10" + where).out, "\n10 -> 12: 1 line "));
  EXPECT_TRUE(has(run_cairn("diff tensor/31 simt/22" + where).out, "\nsimt/22 -> tensor/31: 1 line "));
  EXPECT_FALSE(has(run_cairn("diff simt/12 -U 0" + where).out, "int before;"));
  EXPECT_TRUE(has(run_cairn("diff simt/12 --raw" + where).out, "-// From    simt/10_vector_copy\n"));
  EXPECT_FALSE(has(ran.out, "\x1b"));
}

TEST(DiffCommand, FormatsParse) {
  const std::string where = " --source " + a_tree();
  const auto json = nlohmann::json::parse(run_cairn("diff simt/12 --format json" + where).out);
  EXPECT_EQ(json["counts"]["added"], 1);
  EXPECT_EQ(json["hunks"].size(), 1u);
  EXPECT_TRUE(run_cairn("diff simt/12 --format md" + where).out.starts_with("```diff\n"));
  EXPECT_TRUE(run_cairn("diff simt/12 --format csv" + where).out.starts_with("hunk,kind,old_line,new_line,text\r\n"));
  fs::remove(scratch() / "diff.json");
  EXPECT_EQ(run_cairn("diff simt/12 --out diff.json" + where).code, 0);
  EXPECT_TRUE(nlohmann::json::accept(slurp(scratch() / "diff.json")));
}

TEST(DiffCommand, TwoColumnsAreAsWideAsThePage) {
  const std::string arguments = "diff simt/12 --side-by-side --raw --source " + a_tree();
  for (const auto& [environment, width] :
       {std::pair("COLUMNS=70", 70), std::pair("COLUMNS=wide", 120), std::pair("COLUMNS=", 120)}) {
    std::istringstream text(run_shell(std::string(environment) + " cairn " + arguments).out);
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(static_cast<int>(line.find("│")), (width - 3) / 2 + 1) << line;
  }
}

TEST(DiffCommand, TheTableHasEveryRung) {
  const std::string where = " --source " + a_tree();
  const auto rows = nlohmann::json::parse(run_cairn("diff --all --format json" + where).out);
  const auto of = [&](const std::string& id) {
    return *std::ranges::find_if(rows, [&](const auto& row) { return row["id"] == id; });
  };
  EXPECT_EQ(of("simt/12_a_transposed_vec4"),
            nlohmann::json::parse(R"({"id": "simt/12_a_transposed_vec4", "parent": "simt/11_a_transposed",
      "raw_added": 3, "raw_removed": 3, "added": 1, "removed": 1, "moved": 0, "lines": 3})"));
  EXPECT_EQ(of("simt/01_naive")["parent"], "-");
  EXPECT_TRUE(of("simt/01_naive")["added"].is_null());
  EXPECT_EQ(run_cairn("diff" + where).out, run_cairn("diff --all" + where).out);
  EXPECT_TRUE(has(run_cairn("diff --format csv" + where).out, "simt/02_coalesced,simt/01_naive,3,3,1,1,0,3\r\n"));
}

TEST(DiffCommand, WhatIsWrongIsOneLine) {
  const std::string where = " --source " + a_tree();
  expect_complaint("simt/1" + where, 2, "'simt/1' could be simt/10_vector_copy, simt/11_a_transposed");
  expect_complaint("simt/99" + where, 2, "no rung is named 'simt/99'; the nearest are ");
  expect_complaint("simt/12 simt/99" + where, 2, "no rung is named 'simt/99'");
  expect_complaint("''", 2, "no rung is named ''");
  expect_complaint("simt/01" + where, 2,
                   "is the first of its trail and has no parent; name a rung to compare it with");
  expect_complaint("simt/12 simt/11 simt/10", 2, "simt/10");
  expect_complaint("simt/12 --all", 2, "--all shows every rung");
  expect_complaint("--raw", 2, "cairn diff RUNG --raw");
  expect_complaint("--all --side-by-side", 2, "cairn diff RUNG --side-by-side");
  expect_complaint("simt/12 simt/11 -U -1", 2, "from 0 to");
  expect_complaint("simt/12 simt/11 -U many", 2, "--unified");
  expect_complaint("simt/12 simt/11 --side-by-side --format md", 2, "--side-by-side is for people");
  expect_complaint("simt/12 --format xml", 2, "table, csv, json, md");
  expect_complaint("simt/12 --source nowhere", 2, "--source 'nowhere' has no folder kernels");
  fs::create_directories(scratch() / "empty/kernels");
  expect_complaint("simt/12 --source empty", 77, "kernels/simt/12_a_transposed_vec4.cu is not in empty");
  expect_complaint("--all --source empty", 77, "is not in empty");
  const Instead unnamed("simt/12_a_transposed_vec4", "int x;");
  expect_complaint("simt/12" + where, 2, "names no parent (its head has no line '// From')");
  const Instead unknown("simt/13_bank_linear", "// From    simt/77_lucky\n");
  expect_complaint("simt/13" + where, 1,
                   "kernels/simt/13_bank_linear.cu: '// From simt/77_lucky' is no rung of the ladder");
}

TEST(DiffCommand, OddFilesAreRead) {
  const std::string where = " --source " + a_tree();
  for (const char* text :
       {"", "\n\n", "// only", "int x;\r\nint y;\r\n", "int x", "/* open", "R\"(open // ", "}}}}", "\xff\xff"}) {
    const Instead odd("simt/12_a_transposed_vec4", text);
    for (const char* flag : {"", " --raw", " --side-by-side", " --format json", " --format md", " --format csv"}) {
      const Ran ran = run_cairn("diff simt/12 simt/11" + where + flag);
      EXPECT_EQ(ran.code, 0) << text << flag << ran.err;
      EXPECT_NE(ran.out, "") << text << flag;
    }
  }
}

TEST(DiffCommand, TheSummitsFolderIsNotShown) {
  const Ran ran = run_cairn("diff hopper/59 hopper/58");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "Of hopper/59_summit only the .cu file is shown, and not kernels/hopper/59_summit/\n"))
      << ran.out;
}

// The rungs of this tree, whatever they look like: names alone are no difference, and a patch would apply.
TEST(DiffCommand, RungsOfThisTree) {
  const Ran lesson = run_cairn("diff simt/15 simt/12"), raw = run_cairn("diff simt/15 simt/12 --raw");
  EXPECT_EQ(lesson.code, 0) << lesson.err;
  EXPECT_FALSE(has(lesson.out, "-namespace")) << lesson.out;
  EXPECT_FALSE(has(lesson.out, "//")) << lesson.out;
  EXPECT_TRUE(has(raw.out, "-namespace cairn::simt_12 {\n+namespace cairn::simt_15 {\n")) << raw.out;
  if (run_shell("command -v patch").code != 0) GTEST_SKIP() << "no patch here";
  const std::string kernels = std::string(CAIRN_SOURCE_DIR) + "/kernels/simt/";
  const Ran patched =
      run_shell("cairn diff simt/15 simt/12 --raw | sed '$d' >x.patch && cp " + kernels +
                "12_a_transposed_vec4.cu x.cu && patch -s x.cu x.patch && cmp x.cu " + kernels + "15_bank_split.cu");
  EXPECT_EQ(patched.code, 0) << patched.out << patched.err;
}

}  // namespace
}  // namespace cairn::testing
