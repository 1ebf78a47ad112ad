// A table on a terminal that is too narrow for it: what is given up, in which order.
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "lab/table.hpp"

namespace cairn::lab {
namespace {

std::string at(std::size_t columns, const Table& table) { return render(table, Format::table, {.columns = columns}); }

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
  return width;
}

Table five_rows() {
  Table table;
  table.columns = {{"id", "id", Align::left},
                   {"none", "nothing here"},
                   {"count", "how many"},
                   {"spare", "spare"},
                   {"ratio", "ratio"}};
  for (const char* id : {"alpha", "beta", "gamma", "delta", "epsilon"})
    table.rows.push_back({id, {}, std::int64_t{7}, std::int64_t{12345}, 0.5});
  table.spare = {"spare"};
  return table;
}

TEST(Fit, ATableThatFitsIsAsInAPipe) { EXPECT_EQ(at(100, five_rows()), render(five_rows(), Format::table)); }

TEST(Fit, EmptyColumnsAreTheFirstToGoAndNeedNoWord) {
  EXPECT_TRUE(at(35, five_rows()).starts_with("id       how many  spare  ratio\nalpha           7  12345  0.500\n"))
      << at(35, five_rows());
  EXPECT_EQ(at(35, five_rows()).find("left out"), std::string::npos);
}

TEST(Fit, HeadingsAreWrappedBeforeAColumnIsLeftOut) {
  EXPECT_TRUE(
      at(27, five_rows()).starts_with("          how\nid       many  spare  ratio\nalpha       7  12345  0.500\n"))
      << at(27, five_rows());
}

TEST(Fit, TheLeastImportantColumnIsLeftOutAndNamed) {
  const std::string text = at(24, five_rows());
  EXPECT_TRUE(text.starts_with("id       how many  ratio\nalpha           7  0.500\n")) << text;
  EXPECT_NE(text.find("1 column left out:\n  spare; --wide shows it\n"), std::string::npos) << text;
}

TEST(Fit, AfterTheSpareColumnsTheRightmostGoAndTheFirstStays) {
  const std::string text = at(13, five_rows());
  EXPECT_NE(text.find("alpha       7\n"), std::string::npos) << text;
  // Either of the last two would fit here.
  EXPECT_EQ(at(14, five_rows()).find("0.500"), std::string::npos) << at(14, five_rows());
  EXPECT_NE(at(7, five_rows()).find("epsilon\n"), std::string::npos) << at(7, five_rows());
  EXPECT_NE(at(5, five_rows()).find("epsil\non\n"), std::string::npos) << at(5, five_rows());
}

TEST(Fit, ANarrowColumnComesBackIntoTheRoomOfAWideOne) {
  Table table = five_rows();
  for (auto& row : table.rows) row[3] = std::int64_t{1234567890123};
  table.spare = {"count", "spare"};
  const std::string text = at(28, table);
  EXPECT_TRUE(text.starts_with("id       how many  ratio\nalpha           7  0.500\n")) << text;
  EXPECT_NE(text.find("1 column left out: spare;"), std::string::npos) << text;
}

TEST(Fit, NothingIsEverWiderThanTheTerminal) {
  Table table = five_rows();
  table.columns.push_back({"text", "", Align::left});
  table.columns.push_back({"long", "a_title_of_one_rather_long_word"});
  for (auto& row : table.rows) {
    row.emplace_back("some longer text, of words and of a_word_that_is_rather_long_for_it");
    row.emplace_back(std::int64_t{3});
  }
  for (const bool upright : {false, true}) {
    table.upright = upright;
    for (std::size_t columns = 20; columns < 140; ++columns)
      EXPECT_LE(widest(at(columns, table)), columns) << at(columns, table);
  }
}

TEST(Fit, TextIsWrappedInItsColumn) {
  Table table = five_rows();
  table.columns = {{"id", "id", Align::left}, {"what", "what", Align::left}};
  table.rows = {};
  for (int i = 0; i < 5; ++i) table.rows.push_back({"x", "the quick brown fox jumps over the lazy dog"});
  EXPECT_TRUE(at(30, table).starts_with("id  what\nx   the quick brown fox jumps\n    over the lazy dog\nx "))
      << at(30, table);
}

TEST(Fit, FewRowsGoUpright) {
  Table table = five_rows();
  table.rows.resize(2);
  EXPECT_EQ(at(22, table),
            "id        alpha   beta\n"
            "how many      7      7\n"
            "spare     12345  12345\n"
            "ratio     0.500  0.500\n");
}

TEST(Fit, AnUprightTableWithManyRowsIsSplitIntoBlocks) {
  Table table = five_rows();
  table.upright = true;
  const std::string text = at(24, table);
  EXPECT_TRUE(text.starts_with("id        alpha   beta\nhow many      7      7\n")) << text;
  EXPECT_NE(text.find("\n\nid        gamma  delta\nhow many      7      7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\nid        epsilon\n"), std::string::npos) << text;
}

TEST(Fit, AMatrixIsSplitIntoBlocksOfColumns) {
  Table table;
  table.in_blocks = true;
  table.columns = {{"row", "row"}, {"a", "0"}, {"b", "1"}, {"c", "2"}};
  table.rows = {{std::int64_t{0}, "0:0", "0:1", "0:2"}};
  EXPECT_EQ(at(14, table), "row    0    1\n  0  0:0  0:1\n\nrow    2\n  0  0:2\n");
}

TEST(Fit, OtherFormatsDoNotLookAtTheWidth) {
  for (const Format format : {Format::csv, Format::json, Format::md})
    EXPECT_EQ(render(five_rows(), format, {.columns = 10}), render(five_rows(), format));
}

TEST(Fit, LinesAroundATableAreWrapped) {
  const Report report{.before = {"a line that is too long for it"}, .table = five_rows(), .after = {}, .alarms = {}};
  EXPECT_TRUE(render(report, Format::table, {.columns = 20}).starts_with("a line that is too\n  long for it\n\n"));
  EXPECT_TRUE(render(report, Format::md, {.columns = 20}).starts_with("a line that is too long for it\n\n"));
}

Table times(double a, double b) {
  Table table;
  table.columns = {time_column("median_ms", "median ms"), time_column("min_ms", "min ms")};
  table.rows = {{a, b}};
  return table;
}

TEST(Times, HaveThreeDigitsInAUnitOfTheWholeTable) {
  EXPECT_EQ(render(times(12.34567, 0.01234), Format::table), "median ms  min ms\n  12.3457  0.0123\n");
  EXPECT_EQ(render(times(0.001234, 1.5), Format::table), "median µs    min µs\n    1.234  1500.000\n");
  EXPECT_EQ(render(times(0.00012345, 0.001), Format::table), "median µs  min µs\n    0.123   1.000\n");
  EXPECT_EQ(render(times(0.0000312, 0.001), Format::table), "median ns   min ns\n    31.20  1000.00\n");
}

TEST(Times, OfMachinesAreAlwaysMilliseconds) {
  EXPECT_EQ(render(times(0.00012345, 0.001), Format::csv), "median_ms,min_ms\r\n0.00012345,0.001\r\n");
}

}  // namespace
}  // namespace cairn::lab
