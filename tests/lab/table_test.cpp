// One table, four renderings: each is compared with what it should be, letter by letter.
#include "lab/table.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cairn::lab {
namespace {

Table sample() {
  Table table;
  table.columns = {{"id", "id", Align::left},
                   {"median_ms", "median ms", Align::right, 2},
                   {"samples", "samples"},
                   {"bar", "bar", Align::left, 0, Audience::people},
                   {"samples_ms", "", Align::right, 0, Audience::machines}};
  table.rows = {{"cpu/reference", 12.345, std::int64_t{30}, "▇▇", std::vector<double>{1.5, 0.1}},
                {"a, \"b\"|", {}, std::int64_t{7}, "▇", {}}};
  return table;
}

TEST(Table, AlignsForATerminalByCharactersNotBytes) {
  EXPECT_EQ(render(sample(), Format::table),
            "id             median ms  samples  bar\n"
            "cpu/reference      12.35       30  ▇▇\n"
            "a, \"b\"|                         7  ▇\n");
}

TEST(Table, MarksTheHeadingOnlyWhenAsked) {
  EXPECT_EQ(render(sample(), Format::table).find('\x1b'), std::string::npos);
  EXPECT_TRUE(render(sample(), Format::table, {.bold = true}).starts_with("\x1b[1mid"));
}

TEST(Table, WidthCountsCharacters) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("Aᵀ·B"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\xcd\xb0"), 1u);   // U+0370, the first letter after the combining marks
  EXPECT_EQ(display_width(""), 0u);
}

TEST(Table, CsvQuotesAsRfc4180) {
  EXPECT_EQ(render(sample(), Format::csv),
            "id,median_ms,samples,samples_ms\r\n"
            "cpu/reference,12.345,30,1.5;0.1\r\n"
            "\"a, \"\"b\"\"|\",,7,\r\n");
}

TEST(Table, JsonKeepsTypesOrderAndAbsence) {
  const auto rows = nlohmann::ordered_json::parse(render(sample(), Format::json));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].dump(), R"({"id":"cpu/reference","median_ms":12.345,"samples":30,"samples_ms":[1.5,0.1]})");
  EXPECT_TRUE(rows[1]["median_ms"].is_null());
  EXPECT_EQ(rows[1]["id"], "a, \"b\"|");
}

TEST(Table, JsonHasNoWordForNan) {
  Table table;
  table.columns = {{"x", "x"}};
  table.rows = {{std::numeric_limits<double>::quiet_NaN()}, {std::numeric_limits<double>::infinity()}};
  const auto rows = nlohmann::json::parse(render(table, Format::json));
  EXPECT_TRUE(rows[0]["x"].is_null());
  EXPECT_TRUE(rows[1]["x"].is_null());
  EXPECT_EQ(render(table, Format::csv), "x\r\n\r\n\r\n");
}

TEST(Table, DoublesReachMachinesWhole) {
  Table table;
  table.columns = {{"x", "x", Align::right, 1}};
  table.rows = {{0.1 + 0.2}};
  EXPECT_EQ(nlohmann::json::parse(render(table, Format::json))[0]["x"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(render(table, Format::csv), "x\r\n0.30000000000000004\r\n");
  EXPECT_EQ(render(table, Format::table), "  x\n0.3\n");
}

TEST(Table, MarkdownEscapesBarsAndSaysWhichSide) {
  EXPECT_EQ(render(sample(), Format::md),
            "| id            | median ms | samples | bar |\n"
            "|---------------|----------:|--------:|-----|\n"
            "| cpu/reference |     12.35 |      30 | ▇▇  |\n"
            "| a, \"b\"\\|      |           |       7 | ▇   |\n");
}

TEST(Table, UprightTurnsRowsIntoColumnsForPeopleOnly) {
  Table table;
  table.columns = {{"id", "contender", Align::left}, {"cases", "cases"}, {"nobody", "nobody has it"}};
  table.rows = {{"a", std::int64_t{1}, {}}, {"b", std::int64_t{22}, {}}};
  const std::string csv = render(table, Format::csv);
  table.upright = true;
  EXPECT_EQ(render(table, Format::table), "contender  a   b\ncases      1  22\n");
  EXPECT_EQ(render(table, Format::csv), csv);
}

TEST(Report, LinesAroundTheTableAreForPeople) {
  const Report report{{"before"}, {{{"x", "x"}}, {{std::int64_t{1}}}}, {"after"}, {"alarm"}};
  EXPECT_EQ(render(report, Format::table), "before\n\nx\n1\n\nalarm\n\nafter\n");
  EXPECT_EQ(render(report, Format::csv), "x\r\n1\r\n");
  EXPECT_TRUE(nlohmann::json::accept(render(report, Format::json)));
}

TEST(Report, TotalsComeLastAndAreForPeople) {
  Report report{{}, {{{"x", "x"}}, {{std::int64_t{1}}}}, {"after"}, {}, {{{"y", "sum"}}, {{std::int64_t{2}}}}};
  EXPECT_EQ(render(report, Format::table), "x\n1\n\nafter\n\nsum\n  2\n");
  EXPECT_TRUE(render(report, Format::md).ends_with("after\n\n| sum |\n|----:|\n|   2 |\n"));
  EXPECT_EQ(render(report, Format::csv), "x\r\n1\r\n");
  EXPECT_EQ(nlohmann::json::parse(render(report, Format::json)).dump(), R"([{"x":1}])");
  report.totals = {};
  EXPECT_TRUE(render(report, Format::table).ends_with("after\n"));
}

}  // namespace
}  // namespace cairn::lab
