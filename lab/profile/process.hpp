// Runs another program, without a shell, and keeps its output.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cairn::lab::profile {

struct Ran {
  int code = -1;       // its exit code; 128 and the signal's number where one ended it
  std::string output;  // standard output and standard error, as they came
};

// `words` are the program's path and its arguments; its standard input is empty and its locale C, so that numbers are
// written one way. `tick` is called about ten times a second and returns false to have the program stopped, together
// with what it started. It ends with the command, whatever ends that.
// `variables`, such as "TMPDIR=/tmp/mine", are added to its environment. Throws Error if it cannot be started.
Ran run_program(const std::vector<std::string>& words, const std::function<bool()>& tick = {},
                const std::vector<std::string>& variables = {});

// The same for a program whose standard streams are the command's own. It reads from a file or a pipe, not from a
// terminal. Returns its exit code.
int run_beside(const std::vector<std::string>& words, const std::function<bool()>& tick = {},
               const std::vector<std::string>& variables = {});

}  // namespace cairn::lab::profile
