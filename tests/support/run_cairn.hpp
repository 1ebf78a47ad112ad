// Runs the built `cairn` as a user would, through a shell, and keeps all it said. CAIRN_COMMAND is its path.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace cairn::testing {

struct Ran {
  int code = -1;
  std::string out, err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path);
  return (std::stringstream() << file.rdbuf()).str();
}

// A folder of this process's own, empty at first.
inline std::filesystem::path scratch() {
  static const auto folder = [] {
    auto path = std::filesystem::path(::testing::TempDir()) / ("cairn_command_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  return folder;
}

// A shell command in which `cairn` is the one just built.
inline Ran run_shell(const std::string& command) {
  const auto out = scratch() / "out", err = scratch() / "err";
  const std::string folder = std::filesystem::path(CAIRN_COMMAND).parent_path().string();
  const std::string line = "cd '" + scratch().string() + "' && PATH='" + folder + "':\"$PATH\" && { " + command +
                           "\n} >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
}

inline Ran run_cairn(const std::string& arguments) { return run_shell("cairn " + arguments); }

}  // namespace cairn::testing
