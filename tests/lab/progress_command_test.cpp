// The progress line as a terminal shows it.
#include <csignal>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/pty.hpp"

namespace cairn::testing {
namespace {

constexpr char kCtrlC = '\x03';

TEST(Progress, IsWipedBeforeTheTable) {
  OnTerminal climb("climb cpu/reference --device cpu --shape 64:4096:1 --type f32");
  OnTerminal verify("verify cpu/reference cairn --device cpu --fuzz 10000000");
  ASSERT_TRUE(climb.wait_for("climbing: ", 20)) << climb.written;
  ASSERT_TRUE(verify.wait_for("verifying ", 20)) << verify.written;
  climb.press(kCtrlC);
  verify.press(kCtrlC);
  for (OnTerminal* one : {&climb, &verify}) {
    const int status = one->finish();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    EXPECT_TRUE(shows(one->written, "Interrupted")) << one->written;
    EXPECT_FALSE(shows(one->written, "climbing: ") || shows(one->written, "verifying ")) << one->written;
  }
}

// It said "0 s left" when the first contender was nearly done and all others were still to come.
TEST(Progress, CountsAllContendersThatAreToCome) {
  OnTerminal verify("verify cpu/reference cpu/openblas cairn --device cpu --fuzz 10000000 --shape 8");
  ASSERT_TRUE(verify.wait_for(" left", 20)) << verify.written;
  verify.press(kCtrlC);
  verify.finish();
  static const std::regex line(R"( (\d+) % · verifying cpu/reference (\d+)/10000000, about ([^\r]+) left)");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(verify.written, found, line)) << verify.written;
  const double of_first = std::stod(found[2]) / 1e7;
  EXPECT_LE(std::stod(found[1]), 100 * of_first / 3 + 1) << found[0];
}

// A line that wraps would leave its first part behind.
TEST(Progress, IsNoWiderThanTheTerminal) {
  OnTerminal verify("verify cpu/reference --device cpu --fuzz 10000000", "TERM=xterm", 40);
  ASSERT_TRUE(verify.wait_for(" left", 20)) << verify.written;
  const std::size_t from = verify.written.rfind('\r');
  const std::size_t to = verify.written.find('\x1b', from);
  EXPECT_LE(to - from - 1, 40u + 3) << verify.written;  // the dot and the ellipsis are several bytes
}

TEST(Progress, DumbTerminalsGetNeitherItNorColours) {
  OnTerminal verify("verify cpu/reference --device cpu --fuzz 10000000", "TERM=dumb");
  OnTerminal unset("verify cpu/reference --device cpu --fuzz 10000000", "-u TERM");
  verify.watch(2.5);
  EXPECT_EQ(verify.written, "");
  EXPECT_TRUE((unset.watch(0), unset.written.empty())) << unset.written;
  verify.press(kCtrlC);
  EXPECT_TRUE(WIFSIGNALED(verify.finish()));
  EXPECT_NE(verify.written.find("Interrupted"), std::string::npos);
  EXPECT_EQ(verify.written.find('\x1b'), std::string::npos) << verify.written;

  const auto escapes = [](const std::string& environment) {
    OnTerminal diff("diff simt/15", environment);
    EXPECT_EQ(diff.finish(), 0) << diff.written;
    return diff.written.find('\x1b') != std::string::npos;
  };
  EXPECT_TRUE(escapes("TERM=xterm"));
  EXPECT_TRUE(escapes("TERM=xterm NO_COLOR="));
  EXPECT_FALSE(escapes("TERM=xterm NO_COLOR=1"));
  EXPECT_FALSE(escapes("TERM=dumb"));
}

// Checking everything is minutes; who asks for it is told before.
TEST(Progress, ACheckOfEverythingSaysHowLongItTakes) {
  if (run_cairn("trace simt/02 --shape 32").code == 77) GTEST_SKIP() << "this build has no traced emulator";
  const std::string stopped = "timeout --foreground --preserve-status --signal=INT 4 cairn ";
  const Ran quick = run_shell(stopped + "verify --device emu --check");
  static const std::regex says(
      "Checking \\d+ rungs, \\d\\d cases each: about (1 min( \\d\\d s)?|\\d\\d s) on two cores; "
      "--fuzz N draws more cases, or fewer\\.\n");
  EXPECT_TRUE(std::regex_match(quick.err, says)) << quick.err;
  const Ran all = run_shell(stopped + "verify --device emu --check --fuzz 1000");
  EXPECT_TRUE(std::regex_search(all.err, std::regex("1000 cases each: about \\d+ min on two cores; fewer by --fuzz")))
      << all.err;
}

}  // namespace
}  // namespace cairn::testing
