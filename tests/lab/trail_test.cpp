// The pages of the trail: each shows what its rung brought, from the records, and its words agree with that; each has a
// command for readers without a GPU; and the boxes of its pictures close.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/record/page_tables.hpp"
#include "lab/record/record.hpp"
#include "lab/record/table_parts.hpp"
#include "lab/record/trail_pages.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = CAIRN_SOURCE_DIR;
const fs::path kTrail = kRoot / "docs/trail";
constexpr double kClearlySlower = 0.95;  // a page must say so; between this and level it may

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::stringstream() << file.rdbuf()).str();
}

const std::vector<Named>& records() {
  static const std::vector<Named> all = [] {
    std::vector<Named> read_all;
    for (const char* name : {"ladder", "tensor", "hopper", "split"}) {
      const fs::path file = kRoot / "results/h200" / (std::string(name) + ".json");
      read_all.push_back({fs::relative(file, kTrail).generic_string(), read(file.string())});
    }
    return read_all;
  }();
  return all;
}

std::string page_of(const Rung& rung) { return slurp(kTrail / (page_name(rung.id) + ".md")); }

void expect_up_to_date(const std::string& page, const std::string& table) {
  const std::string text = slurp(kTrail / page);
  ASSERT_NE(text.find("<!-- " + table + ":begin -->"), std::string::npos)
      << page << " has no table '" << table << "'";
  for (const MarkedTable& wanted : page_tables(text, records(), kTrail, page)) {
    EXPECT_TRUE(with_table(text, wanted, page) == text)
        << "the table '" << wanted.name << "' of " << page << " is not that of its records; make readme writes\n"
        << wanted.text;
  }
}

TEST(Trail, EveryPageShowsWhatItsRungBrought) {
  expect_up_to_date("README.md", "steps");
  for (const Rung* rung : cards()) {
    SCOPED_TRACE(rung->id);
    expect_up_to_date(page_name(rung->id) + ".md", "brought");
    EXPECT_NE(page_of(*rung).find("\n## What it brought\n"), std::string::npos) << rung->id;
  }
}

// A page's own text and what is written between its markers.
struct Parts {
  std::string prose, written;
};
Parts parts_of(const std::string& page, const std::string& table) {
  const std::string begin = "<!-- " + table + ":begin -->", end = "<!-- " + table + ":end -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return {page, ""};
  return {page.substr(0, from) + page.substr(to), page.substr(from, to - from)};
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// "0.898, a step back" in the text.
double least_speed(const std::string& written) {
  double least = 1;
  const std::regex number(R"((\d+\.\d{3}), a step back)");
  for (std::sregex_iterator it(written.begin(), written.end(), number), end; it != end; ++it)
    least = std::min(least, std::stod((*it)[1]));
  return least;
}

// What is wrong with the words of a page about its rung.
std::string fault_of(const Parts& parts) {
  const bool back = says(parts.written, "a step back");
  if (says(parts.prose, "step back") && !back) return "it speaks of a step back, and by the records it is none";
  if (!says(parts.prose, "step back") && least_speed(parts.written) < kClearlySlower) {
    return "by the records it is a step back, and the page does not say so";
  }
  return "";
}

TEST(Trail, APageCallsAStepBackWhatIsOne) {
  for (const Rung* rung : cards()) EXPECT_EQ(fault_of(parts_of(page_of(*rung), "brought")), "") << rung->id;
}

TEST(Trail, TheListOfRungsCallsAStepBackWhatIsOne) {
  const Parts parts = parts_of(slurp(kTrail / "README.md"), "steps");
  const std::string back =
      parts.written.substr(std::min(parts.written.find("- A step back: "), parts.written.size()));
  const std::string steps_back = back.substr(0, back.find('\n'));
  std::map<std::string, std::string> row_of;  // "simt/14_bank_pad" and its line in a table of the page
  std::istringstream lines(parts.prose);
  const std::regex row(R"(\| \[([a-z]+/[0-9a-z_]+)\]\(.*)");
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, row)) row_of[match[1]] = line;
  EXPECT_NE(steps_back, "");
  for (const Rung* rung : cards()) {
    const std::string id(rung->id);
    std::string written;  // as on the rung's own page
    const std::regex listed(R"(\[)" + id + R"(\]\([^)]*\) (\d+\.\d{3}))");
    if (std::regex_search(steps_back, match, listed)) written = match[1].str() + ", a step back";
    EXPECT_EQ(fault_of({row_of[id], written}), "") << id << ": " << row_of[id];
  }
}

TEST(Trail, EveryPageHasACommandForReadersWithoutAGpu) {
  for (const Rung* rung : cards()) {
    const std::string page = page_of(*rung);
    const std::regex command("\ncairn trace [^\n]*" + std::string(rung->id.substr(0, rung->id.find('_'))) +
                             "[^\n]*\n");
    EXPECT_TRUE(std::regex_search(page, command)) << rung->id << ": no line 'cairn trace … " << rung->id << " …'";
  }
}

// The columns of the line at which one of these characters stands.
std::vector<std::size_t> columns_of(const std::string& line, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> found;
  for (const std::string& character : wanted)
    for (std::size_t at = line.find(character); at != std::string::npos; at = line.find(character, at + 1))
      found.push_back(display_width(line.substr(0, at)));
  return found;
}

// Whether every ┐ of a picture has a │, ┘, ┤ or ┼ right below it, which it has not where a side is a column off.
std::vector<std::string> open_boxes(const std::string& text) {
  std::vector<std::string> faults;
  std::istringstream lines(text);
  std::string above;
  for (std::string line; std::getline(lines, line); above = line) {
    const auto below = columns_of(line, {"│", "┘", "┤", "┼", "▼", "▲", "├", "┐"});
    for (const std::size_t column : columns_of(above, {"┐"}))
      if (std::ranges::find(below, column) == below.end()) faults.push_back(above + "\n" + line);
  }
  return faults;
}

TEST(Trail, TheBoxesOfPicturesClose) {
  for (const auto& entry : fs::directory_iterator(kTrail))
    for (const std::string& fault : open_boxes(slurp(entry.path())))
      ADD_FAILURE() << entry.path().filename() << ": a side of this box is a column off\n" << fault;
}

// From here on: the judges themselves.

TEST(TrailJudge, SeesWrongWords) {
  EXPECT_EQ(fault_of({"faster", "1.012, faster"}), "");
  EXPECT_EQ(fault_of({"a step back", "0.898, a step back"}), "");
  EXPECT_EQ(fault_of({"nothing", "0.985, a step back"}), "");
  EXPECT_NE(fault_of({"a step back", "1.012, faster"}), "");
  EXPECT_NE(fault_of({"nothing", "1.010, level | 0.898, a step back"}), "");
}

TEST(TrailJudge, SeesASideThatIsAColumnOff) {
  EXPECT_EQ(open_boxes("┌──┐\n│ab│\n└──┘\n").size(), 0u);
  EXPECT_EQ(open_boxes("┌──┐\n│abc│\n└──┘\n").size(), 1u);
}

}  // namespace
}  // namespace cairn::lab::record
