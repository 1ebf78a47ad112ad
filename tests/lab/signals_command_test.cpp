// What a signal leaves behind: nothing.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/pty.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool within(std::chrono::seconds limit, const std::function<bool()>& holds) {
  for (const auto end = Clock::now() + limit; Clock::now() < end; std::this_thread::sleep_for(5ms)) {
    if (holds()) return true;
  }
  return holds();
}

// `cairn` with these arguments, in a folder that is also its folder for temporary files.
class Started {
 public:
  Started(const std::string& name, const std::string& arguments) : folder(scratch() / name) {
    fs::create_directories(folder);
    const std::string line = "cd '" + folder.string() + "' && TMPDIR='" + folder.string() +
                             "' exec '" CAIRN_COMMAND "' " + arguments + " >'" +
                             (scratch() / (name + ".out")).string() + "' 2>'" +
                             (scratch() / (name + ".err")).string() + "' </dev/null";
    id = ::fork();
    if (id != 0) return;
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  ~Started() {
    if (id > 0) ::kill(id, SIGKILL), ::waitpid(id, nullptr, 0);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  // Sends a signal; seconds until it has ended, and its status.
  double end_by(int signal) {
    const auto sent = Clock::now();
    ::kill(id, signal);
    ::waitpid(id, &status, 0);
    id = -1;
    return std::chrono::duration<double>(Clock::now() - sent).count();
  }

  // Processes that were started by words with this folder in them, other than the command itself: the compiler, and
  // the program around the kernel.
  std::vector<std::string> descendants() const {
    std::vector<std::string> found;
    for (const auto& process : fs::directory_iterator("/proc")) {
      const std::string number = process.path().filename().string();
      if (number.find_first_not_of("0123456789") != std::string::npos || number == std::to_string(id)) continue;
      const std::string words = slurp(process.path() / "cmdline");
      if (words.find(folder.string() + "/cairn_program_") != std::string::npos) found.push_back(number + " " + words);
    }
    return found;
  }
  bool runs_kernel() const {
    for (const std::string& words : descendants())
      if (words.find("/kernel\0", 0, 8) != std::string::npos) return true;
    return false;
  }
  std::vector<std::string> temporary() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    return found;
  }

  fs::path folder;
  pid_t id = -1;
  int status = 0;
};

TEST(Signals, TraceLeavesNeitherAProcessNorAFolder) {
  if (run_cairn("trace simt/02 --shape 32").code == 77) GTEST_SKIP() << "this build has no traced emulator";
  std::ofstream(scratch() / "busy.cu") << "__global__ void k(int* p) {\n"
                                          "  for (long i = 0; i < 1000000000000; ++i) *p += 1;\n}\n";
  const std::string arguments = "trace '" + (scratch() / "busy.cu").string() +
                                "' --kernel k --grid 1 --block 1 --no-detectors --arg 'i32[1]=zero'";
  Started compiling("compiling", arguments);
  ASSERT_TRUE(within(30s, [&] { return compiling.descendants().size() >= 2; }));  // g++ and cc1plus
  Started term("term", arguments), hup("hup", arguments), killed("killed", arguments);
  const struct {
    Started& one;
    int signal;
    bool kernel;
  } all[] = {{compiling, SIGTERM, false}, {hup, SIGHUP, true}, {term, SIGTERM, true}, {killed, SIGKILL, true}};
  for (const auto& [one, signal, kernel] : all) {
    ASSERT_TRUE(!kernel || within(60s, [&, &it = one] { return it.runs_kernel(); })) << signal;
    EXPECT_LT(one.end_by(signal), 3);
    EXPECT_TRUE(WIFSIGNALED(one.status) && WTERMSIG(one.status) == signal) << one.status;
    EXPECT_TRUE(within(3s, [&, &it = one] { return it.descendants().empty(); })) << one.descendants().front();
    // SIGKILL leaves no time to remove anything.
    EXPECT_TRUE(signal == SIGKILL || one.temporary().empty()) << one.temporary().front();
  }
}

// A product of this size takes seconds and cannot be stopped; the row before it is not lost.
TEST(Signals, CtrlCIsObeyedInsideALongProduct) {
  OnTerminal bench("bench cpu/reference --device cpu --type f64 --shape 64,4000 --seconds 1", "TERM=xterm", 200);
  ASSERT_TRUE(bench.wait_for("f64 nn 4000x4000x4000", 60)) << bench.written;
  bench.watch(0.3);
  const auto pressed = Clock::now();
  bench.press('\x03');
  const int status = bench.finish();
  EXPECT_LT(Clock::now() - pressed, 2s);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(shows(bench.written, "f64 nn 64x64x64")) << bench.written;
  EXPECT_TRUE(shows(bench.written, "interrupted: the rows are what was measured")) << bench.written;
}

// nohup(1) has it ignored.
TEST(Signals, AnIgnoredHangupStaysIgnored) {
  const Ran ran = run_shell(
      "trap '' HUP; cairn verify cairn --device cpu --fuzz 100000000 & p=$!; sleep 1; kill -HUP $p; sleep 0.5; "
      "kill -TERM $p; wait $p");
  EXPECT_EQ(ran.code, 128 + SIGTERM) << ran.err;
}

}  // namespace
}  // namespace cairn::testing
