#include "lab/suites.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

bool is_layout(const std::string& word) {
  return word.size() == 2 && word.find_first_not_of("nt") == std::string::npos;
}

}  // namespace

std::string suite_names() {
  std::string names;
  for (const BuiltInSuite& suite : built_in_suites()) names += (names.empty() ? "" : ", ") + std::string(suite.name);
  return names;
}

std::vector<SuiteLine> parse_suite(std::string_view text, const std::string& where) {
  std::vector<SuiteLine> suite;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> sizes;
    std::string layout;
    for (std::string word; words >> word;) {
      if (is_layout(word) && layout.empty()) {
        layout = word;
      } else {
        sizes.push_back(word);
      }
    }
    if (sizes.empty() && layout.empty()) continue;
    try {
      if (sizes.size() != 1 && sizes.size() != 3) throw Error(kUsage, fmt::format("'{}'", line));
      for (const Shape& shape : parse_shapes(fmt::format("{}", fmt::join(sizes, "x")))) {
        suite.push_back({shape, layout});
      }
    } catch (const Error& error) {
      throw Error(kUsage, fmt::format("{}:{}: not a line of a suite, such as '4096 4096 512 nt': {}", where, number,
                                      error.what()));
    }
  }
  if (suite.empty()) throw Error(kUsage, fmt::format("{}: the suite is empty", where));
  return suite;
}

std::vector<SuiteLine> read_suite(const std::string& name_or_file) {
  const auto built_in = built_in_suites();
  const auto known = std::ranges::find(built_in, name_or_file, &BuiltInSuite::name);
  if (known != built_in.end()) return parse_suite(known->text, fmt::format("suite {}", name_or_file));
  std::error_code ignored;
  std::ifstream file(name_or_file);
  if (!file || std::filesystem::is_directory(name_or_file, ignored)) {
    throw Error(kUsage, fmt::format("--suite '{}' is neither a suite ({}) nor a file that can be read", name_or_file,
                                    suite_names()));
  }
  // A device such as /dev/zero never ends. A pipe is welcome.
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) {
    throw Error(kUsage,
                fmt::format("--suite '{}' is larger than {} MB, which no suite is", name_or_file, kMostBytes >> 20));
  }
  return parse_suite(text, name_or_file);
}

}  // namespace cairn::lab
