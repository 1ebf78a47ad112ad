// On a terminal nothing is wider than it; in a pipe and with --wide everything is there.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/table.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, lab::display_width(line));
  return width;
}

void expect_fits(const std::string& arguments, unsigned short columns) {
  const std::string text = run_in_terminal(arguments, columns);
  EXPECT_FALSE(text.empty()) << arguments;
  EXPECT_LE(widest(text), columns) << arguments << "\n" << text;
}

void expect_fits(const std::string& arguments) {
  expect_fits(arguments, 80);
  expect_fits(arguments, 120);
}

TEST(Width, EveryVerbFitsTheTerminal) {
  for (const char* arguments : {"list", "info", "info fragment", "info fragment --op wgmma --shape 64x64x16", "lab",
                                "lab layout", "lab banks", "plan", "plan --device emu --type bf16 --shape 4096",
                                "diff", "diff simt/15", "diff simt/15 --side-by-side", "profile --counters"})
    expect_fits(arguments);
  // These run something, which takes longer.
  for (const char* arguments :
       {"climb cpu/openblas simt/01 hopper/52 --shape 64", "verify --fuzz 1", "verify cpu/reference cairn --fuzz 2",
        "bench --device cpu --shape 8 --seconds 0.02", "trace 'simt/0*' --shape 32 --no-detectors",
        "trace simt/04 --shape 32 --no-detectors --lines"})
    expect_fits(arguments, 80);
}

TEST(Width, EveryHelpFitsTheTerminal) {
  expect_fits("--help");
  for (const char* verb : {"climb", "list", "info", "verify", "bench", "profile", "trace", "report", "compare",
                           "plan", "diff", "lab", "completion"})
    expect_fits(std::string(verb) + " --help");
}

// Of each kind one, and the widest.
TEST(Width, RecordsFitTheTerminal) {
  const std::string folder = CAIRN_SOURCE_DIR "/results/h200/";
  for (const char* record : {"calibration", "calibration_simt", "tensor", "hopper", "ladder", "host", "probes",
                             "drawn_odd_f32", "stream_k", "summit_tiles", "tiles_held_general"})
    expect_fits("report " + folder + record + ".json");
  expect_fits("report --style S0 " + folder + "ladder.json");
  expect_fits("compare " + folder + "course_bf16.json " + folder + "course_bf16.json");
}

TEST(Width, WhatIsLeftOutIsNamedAndWideShowsIt) {
  const std::string arguments = "report " CAIRN_SOURCE_DIR "/results/h200/ladder.json";
  const std::string narrow = run_in_terminal(arguments, 80), wide = run_in_terminal(arguments + " --wide", 80);
  EXPECT_NE(narrow.find(" columns left out: "), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("--wide shows"), std::string::npos) << narrow;
  EXPECT_EQ(wide, run_cairn(arguments).out);  // as in a pipe
  EXPECT_NE(wide.find("outliers"), std::string::npos);
  EXPECT_EQ(wide.find("left out"), std::string::npos);
}

TEST(Width, ColumnsOverridesATerminalAndNotAPipe) {
  const std::string arguments = "report " CAIRN_SOURCE_DIR "/results/h200/ladder.json";
  EXPECT_EQ(run_in_terminal(arguments, 80, "COLUMNS=500"), run_cairn(arguments).out);
  EXPECT_LE(widest(run_in_terminal(arguments, 500, "COLUMNS=90")), 90u);
  EXPECT_EQ(run_shell("COLUMNS=80 cairn " + arguments).out, run_cairn(arguments).out);
}

TEST(Width, MarkdownOnATerminalHasEveryColumn) {
  const std::string arguments = "report " CAIRN_SOURCE_DIR "/results/h200/ladder.json --format md";
  EXPECT_EQ(run_in_terminal(arguments, 80), run_cairn(arguments).out);
}

TEST(Width, AnExampleThatIsTooLongCanStillBePasted) {
  EXPECT_NE(run_in_terminal("bench --help", 80).find("--type bf16 \\\n    --format csv\n"), std::string::npos);
}

// A product of 4x4x4 takes a fraction of a microsecond.
TEST(Times, BelowAMicrosecondHaveDigits) {
  const std::string text = run_cairn("bench cairn --device cpu --shape 4 --type f32 --seconds 0.02").out;
  EXPECT_EQ(text.find(" ms "), std::string::npos) << text;
  EXPECT_EQ(text.find("0.000"), std::string::npos) << text;
}

TEST(Climb, SaysWhatATmaLoadIs) {
  const std::string text = run_cairn("climb hopper/52 --shape 64").out;
  EXPECT_NE(text.find("sectors a TMA load"), std::string::npos) << text;
  EXPECT_NE(text.find("one instruction that copies a whole box"), std::string::npos) << text;
}

}  // namespace
}  // namespace cairn::testing
