// Runs the built `cairn` as a user would, through a shell, and keeps all it said. CAIRN_COMMAND is its path.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace cairn::testing {

struct Ran {
  int code = -1;
  std::string out, err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path);
  return (std::stringstream() << file.rdbuf()).str();
}

// A folder of this process's own, empty at first and gone at the end.
inline const std::filesystem::path& scratch() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("cairn_command_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

// A shell command in which `cairn` is the one just built, run in folder `in`.
inline Ran run_shell_in(const std::filesystem::path& in, const std::string& command) {
  const auto out = in / "out", err = in / "err";
  const std::string folder = std::filesystem::path(CAIRN_COMMAND).parent_path().string();
  const std::string line = "cd '" + in.string() + "' && PATH='" + folder + "':\"$PATH\" && { " + command + "\n} >'" +
                           out.string() + "' 2>'" + err.string() + "' </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
}

inline Ran run_shell(const std::string& command) { return run_shell_in(scratch(), command); }

inline Ran run_cairn(const std::string& arguments) { return run_shell("cairn " + arguments); }

}  // namespace cairn::testing
