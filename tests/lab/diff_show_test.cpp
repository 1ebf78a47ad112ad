// cairn diff: how the diff of two rungs is written down.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/diff/hunks.hpp"
#include "lab/diff/show.hpp"

namespace cairn::lab::diff {
namespace {

RungSource source(const std::string& id, const std::string& text) {
  return {{id, "Title of " + id}, "kernels/" + id + ".cu", text, ""};
}

const char* const kOld =
    "// 01 · One\n"
    "namespace cairn::simt_01 {\n"
    "void simt_01_one() {\n"
    "  const int tile_of_this_block = find(first, second);\n"
    "  use(tile_of_this_block);\n"
    "  same1();\n"
    "  same2();\n"
    "  old();\n"
    "}\n"
    "}\n";
const char* const kNew =
    "// 02 · Two, which says more\n"
    "// about itself\n"
    "namespace cairn::simt_02 {\n"
    "void simt_02_two() {\n"
    "  same1();\n"
    "  same2();\n"
    "  now(a,  // why\n"
    "      b);\n"
    "  const int tile_of_this_block = find(first, second);\n"
    "  use(tile_of_this_block);\n"
    "}\n"
    "}\n";

RungDiff some_diff(bool raw = false) {
  return compare_rungs(source("simt/01_one", kOld), source("simt/02_two", kNew), raw);
}

TEST(DiffShow, UnifiedHasTheLessonAndItsCounts) {
  EXPECT_EQ(unified(some_diff(), {1, false, 120}),
            "--- kernels/simt/01_one.cu\n"
            "+++ kernels/simt/02_two.cu\n"
            "@@ -3 +4 @@\n"
            " void simt_02_two() {\n"
            "~[2 lines moved to line 9]\n"
            "   same1();\n"
            "   same2();\n"
            "-  old();\n"
            "+  now(a,\n"
            "+      b);\n"
            "~  const int tile_of_this_block = find(first, second);\n"
            "~  use(tile_of_this_block);\n"
            " }\n"
            "01 -> 02: 2 lines added, 1 removed, 2 moved, of 10 (raw: 8 and 6)\n");
}

TEST(DiffShow, ContextPartsAndJoinsHunks) {
  const auto count = [](std::size_t context) { return hunks(some_diff().changes, context).size(); };
  EXPECT_EQ(count(0), 2u);
  EXPECT_EQ(count(1), 1u);
  EXPECT_EQ(count(100), 1u);
  const Hunk all = hunks(some_diff().changes, 100).at(0);
  EXPECT_EQ(all.last - all.first, some_diff().changes.lines.size());
}

TEST(DiffShow, RawIsAPatch) {
  const RungDiff diff =
      compare_rungs(source("a/1_x", "one\ntwo\nthree\n"), source("b/2_y", "one\nthree\nfour"), true);
  EXPECT_EQ(unified(diff, {0, false, 120}),
            "--- kernels/a/1_x.cu\n"
            "+++ kernels/b/2_y.cu\n"
            "@@ -2 +1,0 @@\n"
            "-two\n"
            "@@ -3,0 +3 @@\n"
            "+four\n"
            "\\ No newline at end of file\n"
            "a/1 -> b/2: 1 line added, 1 removed, of 3, comments included\n");
}

TEST(DiffShow, NothingChangedIsSaidByTheCounts) {
  const RungDiff diff = compare_rungs(source("probe/copy", kOld), source("probe/copy", kOld), false);
  EXPECT_EQ(unified(diff, {}),
            "--- kernels/probe/copy.cu\n+++ kernels/probe/copy.cu\n"
            "copy -> copy: 0 lines added, 0 removed, 0 moved, of 9 (raw: 0 and 0)\n");
  EXPECT_EQ(side_by_side(diff, {}).find("@@"), std::string::npos);
}

TEST(DiffShow, EmptyFilesAreShownToo) {
  const RungDiff diff = compare_rungs(source("simt/01_a", ""), source("simt/02_b", "x;"), false);
  EXPECT_NE(unified(diff, {}).find("@@ -0 +1 @@\n+x;\n01 -> 02: 1 line added"), std::string::npos)
      << unified(diff, {});
  EXPECT_NE(
      unified(compare_rungs(source("simt/01_a", ""), source("simt/02_b", ""), true), {}).find(" 0 removed, of 0"),
      std::string::npos);
}

TEST(DiffShow, ColourIsForTerminalsAndMovedLinesAreDim) {
  const std::string text = unified(some_diff(), {3, true, 120});
  EXPECT_NE(text.find("\x1b[31m-  old();\x1b[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[32m+  now(a,\x1b[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[2m~  use(tile_of_this_block);\x1b[0m\n"), std::string::npos) << text;
  EXPECT_EQ(unified(some_diff(), {3, false, 120}).find('\x1b'), std::string::npos);
  EXPECT_EQ(as_markdown(some_diff(), {3, true, 120}).find('\x1b'), std::string::npos);
}

TEST(DiffShow, TwoColumnsFitThePage) {
  const std::string wide =
      std::string("call(\"") + std::string(300, 'x') + "\", äöü);\n\tnext(one, two, three, four);\n";
  for (const std::size_t width : {40u, 41u, 80u, 200u}) {
    for (const bool colour : {false, true}) {
      const RungDiff diff = compare_rungs(source("simt/01_one", kOld + wide), source("simt/02_two", kNew), false);
      std::istringstream text(two_columns(diff, {3, colour, width}));
      for (std::string line; std::getline(text, line);) {
        if (line.find("@@") != std::string::npos) continue;
        for (std::size_t at; (at = line.find('\x1b')) != std::string::npos;)
          line.erase(at, line.find('m', at) - at + 1);
        EXPECT_LE(display_width(line), width) << line;
        EXPECT_NE(line.find(" │"), std::string::npos) << line;
      }
    }
  }
  const std::string text = side_by_side(some_diff(), {1, false, 100});
  EXPECT_NE(text.find("-  old();                                        │ +  now(a,\n"), std::string::npos) << text;
}

TEST(DiffShow, MarkdownIsAFencedBlock) {
  const std::string text = as_markdown(some_diff(), {});
  EXPECT_TRUE(text.starts_with("```diff\n--- kernels/simt/01_one.cu\n")) << text;
  EXPECT_NE(text.find("\n```\n\n01 -> 02: 2 lines added"), std::string::npos) << text;
  const std::string fences = as_markdown(compare_rungs(source("a/1_x", ""), source("a/2_y", "// ```\n"), true), {});
  EXPECT_TRUE(fences.starts_with("````diff\n")) << fences;
}

TEST(DiffShow, JsonHasHunksAndCounts) {
  RungDiff diff = some_diff();
  diff.now.folder = "kernels/simt/02_two/";
  const auto json = nlohmann::json::parse(as_json(diff, {0, false, 120}));
  EXPECT_EQ(json["old"]["id"], "simt/01_one");
  EXPECT_EQ(json["new"]["file"], "kernels/simt/02_two.cu");
  EXPECT_EQ(json["raw"], false);
  EXPECT_EQ(json["not_shown"], nlohmann::json({"kernels/simt/02_two/"}));
  EXPECT_EQ(json["counts"], nlohmann::json::parse(R"({"added": 2, "removed": 1, "moved": 2, "lines": 10,
                                                      "raw_added": 8, "raw_removed": 6})"));
  ASSERT_EQ(json["hunks"].size(), 2u);
  EXPECT_EQ(json["hunks"][0]["lines"][0],
            nlohmann::json::parse(R"({"kind": "moved_from", "old_line": 4, "new_line": null,
                "moved_to": 9, "text": "  const int tile_of_this_block = find(first, second);"})"));
  EXPECT_EQ(json["hunks"][1]["lines"][0],
            nlohmann::json::parse(R"({"kind": "removed", "old_line": 8, "new_line": null, "text": "  old();"})"));
  const std::string odd = as_json(compare_rungs(source("a/1_x", ""), source("a/2_y", "\"\xff\""), false), {});
  EXPECT_TRUE(nlohmann::json::accept(odd)) << odd;
}

TEST(DiffShow, CsvHasARowForEachLine) {
  const Table table = as_table(some_diff(), {0, false, 120});
  EXPECT_EQ(table.rows.size(), 2u + 1 + 2 + 2);
  EXPECT_TRUE(render(table, Format::csv).starts_with("hunk,kind,old_line,new_line,text\r\n1,moved_from,4,,"))
      << render(table, Format::csv);
}

TEST(DiffShow, AFolderThatIsNotShownIsNamed) {
  RungDiff diff = some_diff();
  diff.now.folder = "kernels/simt/02_two/";
  EXPECT_NE(
      unified(diff, {}).find("Of simt/02_two only the .cu file is shown, and not kernels/simt/02_two/\n01 -> 02"),
      std::string::npos)
      << unified(diff, {});
}

TEST(DiffShow, TheTableOfTheLadderLeavesOutWhatThereIsNot) {
  RungSource first = source("simt/01_one", kOld);
  first.parent = "-";
  const RungDiff diff = some_diff();
  RungSource second = diff.now;
  second.parent = "simt/01_one";
  const Table table{ladder_columns(), {ladder_row(first, nullptr), ladder_row(second, &diff)}};
  EXPECT_EQ(render(table, Format::csv),
            "id,parent,raw_added,raw_removed,added,removed,moved,lines\r\n"
            "simt/01_one,-,,,,,,\r\n"
            "simt/02_two,simt/01_one,8,6,2,1,2,10\r\n");
}

}  // namespace
}  // namespace cairn::lab::diff
