// The man pages: one for each verb, with the texts of --help, in roff without warnings.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

const std::filesystem::path& pages() {
  static const std::filesystem::path folder = [] {
    EXPECT_EQ(run_cairn("__share share").code, 0);
    return scratch() / "share/man/man1";
  }();
  return folder;
}

// What a page shows, without the hyphens and escapes of roff.
std::string plain(std::string text) {
  for (const auto& [from, to] :
       {std::pair{"\\-", "-"}, {"\\(aq", "'"}, {"\\(ti", "~"}, {"\\fB", ""}, {"\\fR", ""}, {"\\e", "\\"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  }
  return text;
}

TEST(Man, EveryVerbHasAPageOfTheTextsOfItsHelp) {
  const std::string main = plain(slurp(pages() / "cairn.1"));
  for (const std::string verb : {"climb", "list", "info", "verify", "bench", "profile", "trace", "report", "compare",
                                 "plan", "diff", "lab", "completion"}) {
    const std::string page = plain(slurp(pages() / ("cairn-" + verb + ".1")));
    const std::string help = run_cairn(verb + " --help").out;
    const std::string title = help.substr(0, help.find('\n'));
    EXPECT_NE(page.find(".SH NAME\ncairn-" + verb + " - " + title + "\n"), std::string::npos) << page;
    EXPECT_NE(main.find("cairn-" + verb + "(1)\n" + title + "\n"), std::string::npos) << main;
    // Every flag and every example of the help.
    for (std::size_t at = 0; (at = help.find("\n  ", at)) != std::string::npos; ++at) {
      const std::string word = help.substr(at + 3, std::min(help.find_first_of(" \n", at + 3), help.size()) - at - 3);
      if (!word.starts_with("--") && word != "cairn") continue;
      const std::string wanted =
          word == "cairn" ? help.substr(at + 3, help.find('\n', at + 3) - at - 3) : "\n" + word;
      EXPECT_NE(page.find(wanted), std::string::npos) << wanted << "\n" << page;
    }
  }
}

TEST(Man, TheRoffHasNoWarnings) {
  if (run_shell("command -v groff").code != 0) GTEST_SKIP() << "no groff here";
  for (const auto& entry : std::filesystem::directory_iterator(pages())) {
    const std::string text = slurp(entry.path());
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << text;
    const Ran ran = run_shell("groff -ww -man -Tutf8 -z '" + entry.path().string() + "'");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "") << entry.path();
  }
}

}  // namespace
}  // namespace cairn::testing
