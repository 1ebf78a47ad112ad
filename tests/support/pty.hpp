// Runs the built `cairn` in a terminal of its own, and shows what would be left on its screen.
#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <pty.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/poll.h>
#include <sys/wait.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {

class OnTerminal {
 public:
  // `environment` is of the form "TERM=dumb NO_COLOR=1".
  explicit OnTerminal(const std::string& arguments, const std::string& environment = "TERM=xterm",
                      unsigned short columns = 80) {
    const winsize size = {24, columns, 0, 0};
    const std::string line = "exec env -u NO_COLOR " + environment + " '" CAIRN_COMMAND "' " + arguments;
    process_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ == 0) {
      if (::chdir(scratch().c_str()) == 0) ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~OnTerminal() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    ::close(terminal_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  // Reads until the text is there; false if it ends or takes longer first.
  bool wait_for(const std::string& text, double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (written.find(text) == std::string::npos) {
      if (Clock::now() > end || !read_some(50)) return false;
    }
    return true;
  }
  void watch(double seconds) { wait_for(std::string(1, '\0'), seconds); }

  void press(char key) { EXPECT_EQ(::write(terminal_, &key, 1), 1); }

  // Its status as waitpid has it; of one that does not end by itself, that of SIGKILL.
  int finish(double seconds = 30) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end && read_some(50)) continue;
    if (Clock::now() >= end) ::kill(process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

  std::string written;  // so far, escape sequences included

 private:
  using Clock = std::chrono::steady_clock;

  bool read_some(int wait_ms) {
    pollfd look = {terminal_, POLLIN, 0};
    if (::poll(&look, 1, wait_ms) == 0) return true;
    char buffer[4096];
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got > 0) written.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t process_ = -1;
  int terminal_ = -1;
};

// The lines as a screen shows them once a carriage return, a line feed and "erase to the end of the line" have had
// their effect. Other escape sequences are left as they are.
inline std::vector<std::string> screen(const std::string& written) {
  std::vector<std::string> lines(1);
  std::size_t column = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::string& line = lines.back();
    if (written[i] == '\r') {
      column = 0;
    } else if (written[i] == '\n') {
      lines.emplace_back();
      column = 0;
    } else if (written.compare(i, 3, "\x1b[K") == 0) {
      line.resize(column);
      i += 2;
    } else {
      if (line.size() <= column) line.resize(column + 1, ' ');
      line[column++] = written[i];
    }
  }
  return lines;
}

inline bool shows(const std::string& written, const std::string& text) {
  const auto lines = screen(written);
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.find(text) != line.npos; });
}

// What a command writes to a terminal of this width. Colours are off, and $COLUMNS is not set; stderr, with its progress
// line, is left out.
inline std::string run_in_terminal(const std::string& arguments, unsigned short columns,
                                   const std::string& environment = "") {
  OnTerminal terminal(arguments + " 2>/dev/null </dev/null", "-u COLUMNS NO_COLOR=1 TERM=xterm " + environment,
                      columns);
  const int status = terminal.finish(60);
  std::string text = terminal.written;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments << "\n" << text;
  std::erase(text, '\r');
  return text;
}

}  // namespace cairn::testing
