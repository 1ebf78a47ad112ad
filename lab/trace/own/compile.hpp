// From a user's .cu file to a program that runs one of its kernels under the traced emulator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/program/compiler_errors.hpp"
#include "lab/program/toolchain.hpp"
#include "lab/program/workplace.hpp"
#include "lab/trace/own/scan.hpp"

namespace cairn::lab::trace {

using program::first_error;
using program::kUsersFolder;
using program::named_by_user;

struct OwnSource {
  std::string file;                // as the user wrote it
  std::string kernel;              // "tile<float, 32>"
  std::vector<std::string> flags;  // for the compiler, "-DN=4"
};

struct OwnProgram {
  std::string path;
  Scanned scanned;  // without its text
};

// Throws Error: what is wrong with the file or the kernel's name, in one line. `tick` as for run_program().
OwnProgram build_program(const OwnSource& source, const program::Tools& tools, const program::Workplace& place,
                         const std::function<bool()>& tick);

}  // namespace cairn::lab::trace
