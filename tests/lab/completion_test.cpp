// Completion, as the shells themselves ask for it.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

bool there_is(const std::string& program) { return run_shell("command -v " + program).code == 0; }

// The words offered for a line of which `words` are divided as bash divides them; the cursor is at the end.
std::string in_bash(const std::string& line, const std::string& words) {
  std::ofstream(scratch() / "ask.bash") << R"sh(
eval "$(cairn completion bash)"
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
)sh"
                                        << "COMP_LINE='" << line << "' COMP_WORDS=(" << words << ")\n"
                                        << R"sh(
COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_cairn cairn
IFS=,; echo "${COMPREPLY[*]}"
)sh";
  const Ran ran = run_shell("bash ask.bash");
  EXPECT_EQ(ran.err, "") << line;
  return ran.out.substr(0, ran.out.find('\n'));
}

class Completion : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(scratch() / "tab folder");
    for (const char* name : {"tab one.json", "tab2.cu", "tab folder/inner.json"})
      std::ofstream(scratch() / name) << "x";
  }
};

TEST_F(Completion, KnowsVerbsFlagsAndValues) {
  const auto offered = [](const std::string& words) { return run_cairn("__complete " + words).out; };
  const auto has = [](const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line) != std::string::npos;
  };
  EXPECT_TRUE(has(offered("cl"), "climb\tRun every contender"));
  EXPECT_EQ(offered("plan --typ").substr(0, 7), "--type\t");
  EXPECT_EQ(offered("plan --layout t"), "tn\ntt\n");
  EXPECT_EQ(offered("plan --layout nn,t"), "nn,tn\nnn,tt\n");
  EXPECT_EQ(offered("plan --type=bf"), "--type=bf16\n");
  EXPECT_TRUE(has(offered("plan --type e4m3:"), "e4m3:bf16\n"));
  EXPECT_EQ(offered("info --type t"), "tf32\n");
  EXPECT_EQ(offered("bench --format ''"), "table\ncsv\njson\nmd\n");
  EXPECT_EQ(offered("bench --samples s"), "summary\n");
  EXPECT_TRUE(has(offered("bench --device ''"), "emu\t"));
  EXPECT_EQ(offered("bench --suite co"), "course\n:files\n");
  EXPECT_EQ(offered("verify --suite drawn:o"), "drawn:odd\tshapes by lot\n:files\n");
  EXPECT_TRUE(has(offered("plan --suite drawn:"), "drawn:general\t"));
  EXPECT_TRUE(has(offered("lab ''"), "layout\tWhat is a leading dimension"));
  EXPECT_TRUE(has(offered("bench cpu/r"), "cpu/reference\t"));
  EXPECT_TRUE(has(offered("climb simt/01 simt/02"), "simt/02_coalesced\t"));
  EXPECT_TRUE(has(offered("diff -U 0 simt/15 simt/1"), "simt/10_vector_copy\t"));
  EXPECT_EQ(offered("report --format csv ''"), ":files\n");
  EXPECT_EQ(offered("compare old.json ''"), ":files\n");
  EXPECT_EQ(offered("diff --source ''"), ":folders\n");
  EXPECT_EQ(offered("plan --shape ''"), "");  // only the user knows
  EXPECT_EQ(offered("nothing ''"), "");
  EXPECT_EQ(offered("profile --ch"), "");                   // hidden
  EXPECT_FALSE(has(offered("plan --sms 4 --s"), "--sms"));  // given already, and only once
  EXPECT_TRUE(has(offered("plan --shape 4 --s"), "--shape"));
}

TEST_F(Completion, KnowsTheTilesOfARung) {
  const Ran ran = run_cairn("__complete trace hopper/59@");
  EXPECT_EQ(ran.out.find("hopper/59@0\t128x256"), 0u) << ran.out;
  EXPECT_NE(ran.out.find("\nhopper/59@3\t"), std::string::npos) << ran.out;
  EXPECT_EQ(run_cairn("__complete bench simt/1@").out, "");  // of which rung?
}

// A value that --help calls TEXT has no name, and completion does not know it.
TEST_F(Completion, EveryValueHasAName) {
  for (const std::string verb : {"climb", "list", "info", "verify", "bench", "profile", "trace", "report", "compare",
                                 "plan", "diff", "lab", "completion"}) {
    const std::string help = run_cairn(verb + " --help").out;
    EXPECT_EQ(help.find(" TEXT"), std::string::npos) << help;
  }
}

TEST_F(Completion, InBash) {
  if (!there_is("bash")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(in_bash("cairn cl", "cairn cl"), "climb");
  EXPECT_EQ(in_bash("cairn bench --sh", "cairn bench --sh"), "--shape");
  EXPECT_EQ(in_bash("cairn report tab", "cairn report tab"), "tab folder,tab one.json,tab2.cu");
  EXPECT_EQ(in_bash("cairn bench --out tab2", "cairn bench --out tab2"), "tab2.cu");
  EXPECT_EQ(in_bash("cairn bench --out=tab2", "cairn bench --out = tab2"), "tab2.cu");
  EXPECT_EQ(in_bash("cairn trace tab2", "cairn trace tab2"), "tab2.cu");
  EXPECT_EQ(in_bash("cairn diff --source tab", "cairn diff --source tab"), "tab folder");
  EXPECT_EQ(in_bash("cairn plan --layout=t", "cairn plan --layout = t"), "tn,tt");
  EXPECT_EQ(in_bash("cairn plan --type e4m3:b", "cairn plan --type e4m3 : b"), "bf16");
  // readline takes the @ for a part of what it replaces.
  EXPECT_EQ(in_bash("cairn trace simt/04@", "cairn trace simt/04 @").substr(0, 3), "@0,");
  EXPECT_EQ(in_bash("cairn trace simt/04@1", "cairn trace simt/04 @1"), "@1");
  EXPECT_EQ(in_bash("cairn trace simt/01 ", "cairn trace simt/01 ''").find("probe/fma_peak"), 0u);
}

// zsh's own compadd and _files work only behind a Tab key; these stand in for them.
TEST_F(Completion, InZsh) {
  if (!there_is("zsh")) GTEST_SKIP() << "no zsh here";
  std::ofstream(scratch() / "ask.zsh") << R"sh(
compdef() { echo "compdef $*"; }
eval "$(cairn completion zsh)"
compadd() { print -r -- "${(@P)@[-1]}"; }
compset() { PREFIX=${PREFIX#*=}; }
_files() { print -r -- "files $* of $PREFIX"; }
ask() { words=(cairn "$@") CURRENT=$(($# + 1)) PREFIX=${@[-1]}; _cairn; }
ask cl
ask plan --layout t
ask report ''
ask bench --out=ta
ask diff --source ta
ask plan "'--layout'" t
)sh";
  const Ran ran = run_shell("zsh -f ask.zsh");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, "compdef _cairn cairn\nclimb\ntn tt\nfiles  of \nfiles  of ta\nfiles -/ of ta\ntn tt\n");
  EXPECT_EQ(run_shell("cairn completion zsh >_cairn && zsh -n _cairn").code, 0);
}

TEST_F(Completion, InFish) {
  if (!there_is("fish")) GTEST_SKIP() << "no fish here";
  const auto ask = [](const std::string& line) {
    return run_shell("HOME=$PWD fish --no-config -c 'cairn completion fish | source; complete -C \"" + line + "\"'")
        .out;
  };
  EXPECT_EQ(ask("cairn cl").substr(0, 6), "climb\t");
  EXPECT_EQ(ask("cairn plan --layout t"), "tn\ntt\n");
  EXPECT_NE(ask("cairn report tab").find("tab one.json"), std::string::npos);
  EXPECT_EQ(ask("cairn bench --out=tab2").substr(0, 13), "--out=tab2.cu");
  EXPECT_NE(ask("cairn trace hopper/59@").find("hopper/59@3"), std::string::npos);
  EXPECT_EQ(run_shell("cairn completion fish >cairn.fish && fish -n cairn.fish").code, 0);
}

}  // namespace
}  // namespace cairn::testing
