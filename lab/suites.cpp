#include "lab/suites.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/leading.hpp"
#include "lab/nearest.hpp"

namespace cairn::lab {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

bool is_layout(const std::string& word) {
  return word.size() == 2 && word.find_first_not_of("nt") == std::string::npos;
}

std::int64_t parse_batch(const std::string& text) {
  std::int64_t batch = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, batch);
  if (error != std::errc{} || stop != end || batch < 1)
    throw Error(kUsage, fmt::format("'{}' is no batch of 1 product or more", text));
  return batch;
}

// A word such as batch=64 or lda=+4. ld= is for those of the three that have none of their own.
void read_setting(const std::string& word, std::string& ld, SuiteLine& line) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "batch" && !line.batch) {
    line.batch = parse_batch(value);
    return;
  }
  const auto own = {std::pair{"ld", &ld}, {"lda", &line.lda}, {"ldb", &line.ldb}, {"ldc", &line.ldc}};
  const auto found = std::ranges::find(own, key, [](const auto& one) { return std::string(one.first); });
  if (found == own.end() || !found->second->empty())
    throw Error(kUsage, fmt::format("'{}' is not batch, ld, lda, ldb or ldc, each once", word));
  (void)parse_leading(value, found->first);
  *found->second = value;
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
    const std::string said = line.substr(0, line.find('#'));
    if (said.find_first_not_of(" \t\r\v\f") == std::string::npos) continue;
    std::istringstream words(said);
    std::vector<std::string> sizes;
    SuiteLine one;
    std::string ld;
    try {
      for (std::string word; words >> word;) {
        if (is_layout(word) && one.layout.empty()) {
          one.layout = word;
        } else if (word.find('=') != std::string::npos) {
          read_setting(word, ld, one);
        } else {
          sizes.push_back(word);
        }
      }
      for (std::string* own : {&one.lda, &one.ldb, &one.ldc})
        if (own->empty()) *own = ld;
      if (sizes.size() != 1 && sizes.size() != 3) throw Error(kUsage, fmt::format("'{}'", line));
      for (const Shape& shape : parse_shapes(fmt::format("{}", fmt::join(sizes, "x")))) {
        one.shape = shape;
        suite.push_back(one);
      }
    } catch (const Error& error) {
      throw Error(
          kUsage,
          fmt::format(
              "{}:{}: not a line of a suite, such as '4096 4096 512 nt' or '96 100 40 tn batch=64 lda=+4': {}", where,
              number, error.what()));
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
    std::vector<std::string> names;
    for (const BuiltInSuite& suite : built_in) names.emplace_back(suite.name);
    throw Error(kUsage,
                fmt::format("--suite '{}' is neither a suite ({}, drawn:CLASS) nor a file that can be read; {}",
                            name_or_file, suite_names(), nearest_text(name_or_file, names)));
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
