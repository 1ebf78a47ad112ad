// Every example in the help runs and succeeds: the lines under "Examples:" are read from the help itself.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream text(help.substr(std::min(help.size(), help.find("Examples:"))));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("  ")) lines.push_back(line.substr(2));
  }
  return lines;
}

class Examples : public ::testing::TestWithParam<const char*> {};

TEST_P(Examples, Run) {
  const auto lines = examples_in(run_cairn(std::string(GetParam()) + " --help").out);
  EXPECT_FALSE(lines.empty());
  static std::set<std::string> seen;  // the command's own help shows some of its verbs' examples once more
  for (const std::string& line : lines) {
    if (!seen.insert(line).second) continue;
    const Ran ran = run_shell(line);
    EXPECT_EQ(ran.code, 0) << line << "\n" << ran.err;
    EXPECT_EQ(ran.err, "") << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Verbs, Examples,
                         ::testing::Values("", "climb", "list", "info", "verify", "bench", "report", "compare",
                                           "profile", "trace", "plan", "diff", "lab", "completion"),
                         [](const auto& verb) { return *verb.param == '\0' ? std::string("cairn") : verb.param; });

}  // namespace
}  // namespace cairn::testing
