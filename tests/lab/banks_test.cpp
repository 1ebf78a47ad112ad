// Patterns as people type them, and what the experiment "banks" says of them.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/pattern.hpp"

namespace cairn::lab {
namespace {

void expect_pattern(const char* text, const std::function<std::int64_t(std::int64_t)>& by_c) {
  const auto found = parse_pattern(text);
  for (std::size_t l = 0; l < 32; ++l)
    EXPECT_EQ(static_cast<std::int64_t>(found[l]), by_c(static_cast<std::int64_t>(l))) << text << ", lane " << l;
}

TEST(Pattern, IsReadAsCReadsIt) {
  using L = std::int64_t;
  expect_pattern("l", [](L l) { return l; });
  expect_pattern("7", [](L) { return 7; });
  expect_pattern(" l * 33\t", [](L l) { return l * 33; });
  expect_pattern("l*32 + (l^5)", [](L l) { return l * 32 + (l ^ 5); });
  expect_pattern("l*32+l^5", [](L l) { return (l * 32 + l) ^ 5; });
  expect_pattern("1|6^l&3<<1+1*2", [](L l) { return 1 | (6 ^ (l & (3 << (1 + 1 * 2)))); });
  expect_pattern("100-l-l-l", [](L l) { return 100 - l - l - l; });
  expect_pattern("1000/(l+1)/2%7", [](L l) { return 1000 / (l + 1) / 2 % 7; });
  expect_pattern("l%4*1000 + l/4", [](L l) { return l % 4 * 1000 + l / 4; });
  expect_pattern("64>>1>>1", [](L) { return 16; });
  expect_pattern("l<<5", [](L l) { return l << 5; });
  expect_pattern("-l+31", [](L l) { return 31 - l; });
  expect_pattern("5 - -l", [](L l) { return 5 + l; });
  expect_pattern("-(-l)", [](L l) { return l; });
  expect_pattern("(l-40)*(l-40)", [](L l) { return (l - 40) * (l - 40); });  // below zero on the way is no matter
  expect_pattern("l & 0x1c", [](L l) { return l & 0x1c; });
}

void expect_refused(const std::string& text, const std::string& why) {
  try {
    parse_pattern(text);
    ADD_FAILURE() << "'" << text << "' was read";
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_EQ(error.code(), kUsage) << text;
    EXPECT_NE(line.find(why), std::string::npos) << line;
    EXPECT_NE(line.find("such as l*33"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_LT(line.size(), 250U) << line;
  }
}

TEST(Pattern, ThatIsNoneGetsOneLineThatSaysWhy) {
  expect_refused("", "it ends where a number, l or ( should stand");
  expect_refused("l*", "it ends where");
  expect_refused("(l", "a ) is missing");
  expect_refused("l)", "')' stands where an operator should");
  expect_refused("2l", "'l' stands where an operator should");
  expect_refused("lane", "'a' stands where an operator should");
  expect_refused("*l", "'*' stands where a number, l or ( should");
  expect_refused("x", "'x' stands where a number");
  expect_refused("l × 2", "'×' stands where an operator should");
  expect_refused("l < 2", "'<' stands where an operator should");
  expect_refused("1.5", "'.' stands where an operator should");
  expect_refused("0x", "'0' stands where a number");
  expect_refused("0x-1", "'0' stands where a number");
  expect_refused("l\n+1", "stands where an operator should");
  expect_refused("99999999999999999999", "a number is too large");
  expect_refused(std::string(150, '(') + "l", "a ) is missing");
  expect_refused(std::string(100'000, '('), "longer than 200");
}

TEST(Pattern, WhoseIndexIsNoneNamesTheLane) {
  expect_refused("l-1", "the index of lane 0 is -1, before the start");
  expect_refused("3-l", "the index of lane 4 is -1");
  expect_refused("l<<27", "the index of lane 2 is 268435456, not below 2^28");
  expect_refused("8/(l-3)", "lane 0 is -2");
  expect_refused("8/(3-l)", "lane 3 divides by zero");
  expect_refused("8%l", "lane 0 divides by zero");
  expect_refused("1<<(l*10)", "lane 3 is 1073741824");
  expect_refused("0<<(l*10)", "lane 7 shifts by 70");
  expect_refused("8>>(5-l)", "lane 6 shifts by -1");
  expect_refused("9223372036854775807+l", "lane 0 is 9223372036854775807");
  expect_refused("(9223372036854775807+l)*0", "the numbers of lane 1 do not fit 64 bits");
  expect_refused("(-9223372036854775807-1)/-1", "the numbers of lane 0 do not fit 64 bits");
}

TEST(Banks, EveryNumberOfTheLessonHolds) {
  const Findings findings = banks_experiment({});
  EXPECT_TRUE(findings.holds);
  EXPECT_TRUE(findings.report.alarms.empty());
  EXPECT_GT(findings.report.table.rows.size(), 10U);
  EXPECT_NE(render(findings.in_full(), Format::table).find("Padding against swizzle"), std::string::npos);
}

// The cells of people's columns after "what" and "pattern".
std::vector<Cell> calculated(const std::string& pattern, unsigned bytes) {
  Conditions conditions;
  conditions.pattern = pattern;
  conditions.bytes = bytes;
  const Findings findings = banks_experiment(conditions);
  const auto& rows = findings.report.table.rows;
  EXPECT_EQ(rows.size(), 1U);
  return {rows.at(0).begin() + 2, rows.at(0).begin() + 7};
}

std::vector<Cell> cells(std::int64_t bytes, std::int64_t wavefronts, std::int64_t conflicts, std::int64_t sectors,
                        const std::string& banks) {
  return {bytes, wavefronts, conflicts, sectors, banks};
}

TEST(Banks, CalculatesWhatIsTypedIn) {
  EXPECT_EQ(calculated("l*32", 4), cells(4, 32, 31, 32, "#..............................."));
  EXPECT_EQ(calculated("l*33", 4), cells(4, 1, 0, 32, std::string(32, '1')));
  EXPECT_EQ(calculated("l*2", 4), cells(4, 2, 1, 8, "2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.2."));
  EXPECT_EQ(calculated("l", 1), cells(1, 1, 0, 1, "11111111........................"));
  EXPECT_EQ(calculated("l", 16), cells(16, 4, 0, 16, std::string(32, '1')));
  EXPECT_EQ(calculated("l%16*2", 16), cells(16, 8, 4, 16, "2222....2222....2222....2222...."));
}

TEST(Banks, DrawsLanesDownAndBanksAcross) {
  Conditions conditions;
  conditions.pattern = "l*33";
  const std::string narrow = render(banks_experiment(conditions).in_full(), Format::table);
  EXPECT_NE(narrow.find("lane  0 #...............................  word 0\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("lane 31 ...............................#  word 1023\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("1 wavefront, 1 without conflicts"), std::string::npos) << narrow;
  conditions.pattern = "l*2";
  conditions.bytes = 16;
  const std::string wide = render(banks_experiment(conditions).in_full(), Format::table);
  EXPECT_NE(wide.find("lane  1 ........####....................  from word 8\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find("8 wavefronts, 4 without conflicts; bank 0 delivers 2 different words to one part"),
            std::string::npos)
      << wide;
}

}  // namespace
}  // namespace cairn::lab
