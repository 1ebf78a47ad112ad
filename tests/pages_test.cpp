// The pages: links that lead somewhere, and a README that is short and shows a program that exists.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = CAIRN_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* room : {"docs", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

// Code in fences and in backquotes has brackets of its own.
std::string without_code(const std::string& page) {
  static const std::regex fences("```[\\s\\S]*?```"), quotes("`[^`\n]*`");
  return std::regex_replace(std::regex_replace(page, fences, ""), quotes, "code");
}

// The anchors of a page's headings, as GitHub makes them.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> found;
  std::istringstream lines(std::regex_replace(page, std::regex("```[\\s\\S]*?```"), ""));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    line.erase(0, line.find_first_not_of("# "));
    std::string anchor;
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == ' ') anchor += '-';
      if (c == '-' || c == '_' || byte >= 0x80 || std::isalnum(byte) != 0)
        anchor += static_cast<char>(byte < 0x80 ? std::tolower(byte) : c);
    }
    found.insert(anchor);
  }
  return found;
}

std::vector<std::string> broken_links(const fs::path& file, const std::string& page) {
  static const std::regex link("\\]\\(([^)\\s]+)\\)");
  std::vector<std::string> broken;
  const std::string text = without_code(page);
  for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
    const std::string target = (*i)[1];
    if (target.find("://") != std::string::npos) continue;
    const std::size_t hash = target.find('#');
    const fs::path to = hash == 0 ? file : file.parent_path() / target.substr(0, hash);
    const bool leads =
        (hash == 0 || fs::exists(to)) && (hash == std::string::npos || to.extension() != ".md" ||
                                          anchors(hash == 0 ? page : text_of(to)).contains(target.substr(hash + 1)));
    if (!leads) broken.push_back(target);
  }
  return broken;
}

TEST(Pages, LinksLeadSomewhere) {
  std::size_t seen = 0;
  for (const fs::path& file : pages()) {
    ++seen;
    for (const std::string& target : broken_links(file, text_of(file)))
      ADD_FAILURE() << file.lexically_relative(kRoot).string() << ": " << target << " leads nowhere";
  }
  EXPECT_GT(seen, 50u);
}

TEST(Pages, TheReadmeIsAScreenAndAHalf) { EXPECT_LE(fs::file_size(kRoot / "README.md"), 6u * 1024); }

// All of the example but its first line, which says what it is.
TEST(Pages, TheReadmeShowsTheExampleThatIsTested) {
  const std::string program = text_of(kRoot / "examples/gemm/gemm.cpp");
  const std::string shown = "```cpp\n" + program.substr(program.find('\n') + 1) + "```\n";
  EXPECT_NE(text_of(kRoot / "README.md").find(shown), std::string::npos);
}

// From here on: the checker itself.
TEST(PagesChecker, SeesABrokenLink) {
  const fs::path file = kRoot / "docs" / "planted.md";
  const std::string page =
      "# A heading: with `code`, and more\n[a](glossary.md) [b](nowhere.md) [c](glossary.md#ours) "
      "[d](glossary.md#none)\n"
      "[e](#a-heading-with-code-and-more) [f](#a-heading) `[g](code.md)`\n```\n[h](code.md)\n```\n"
      "[i](https://example.org) [j](../results)\n";
  EXPECT_EQ(broken_links(file, page), (std::vector<std::string>{"nowhere.md", "glossary.md#none", "#a-heading"}));
}

}  // namespace
