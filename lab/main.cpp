#include <csignal>
#include <cstdio>

#include "lab/command.hpp"
#include "lab/exit.hpp"
#include "lab/signals.hpp"

int main(int argc, char** argv) {
  const int code = cairn::lab::run_command(argc, argv);
  // A shell that runs this in a loop ends the loop only if it sees that Ctrl-C ended the command.
  if (code == cairn::lab::kInterrupted && std::fflush(stdout) == 0) cairn::lab::end_by_signal(SIGINT);
  return code;
}
