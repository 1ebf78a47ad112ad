// Runs the built `cairn` in a terminal of a given width. CAIRN_COMMAND is its path.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

namespace cairn::testing {

// What `cairn ARGUMENTS`, through a shell, writes to its terminal. Colours are off, and $COLUMNS is not set; stderr, with
// its progress line, is left out.
inline std::string run_in_terminal(const std::string& arguments, unsigned short columns,
                                   const std::string& environment = "") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    ADD_FAILURE() << "no terminal";
    return "";
  }
  const std::string name = ::ptsname(terminal);
  const std::string line =
      "unset COLUMNS; NO_COLOR=1 " + environment + " '" CAIRN_COMMAND "' " + arguments + " 2>/dev/null </dev/null";
  const pid_t child = ::fork();
  if (child == 0) {
    const int side = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    winsize size{};
    size.ws_row = 24, size.ws_col = columns;
    if (side < 0 || ::ioctl(side, TIOCSWINSZ, &size) != 0 || ::dup2(side, STDOUT_FILENO) < 0) ::_exit(126);
    ::close(terminal);
    ::close(side);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string text;
  char buffer[4096];
  for (;;) {  // the end is an error where the other side of a terminal is closed
    const ssize_t count = ::read(terminal, buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments << "\n" << text;
  std::erase(text, '\r');
  return text;
}

}  // namespace cairn::testing
