// From a user's .cu file to a program that runs one of its kernels under the traced emulator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/leftovers.hpp"
#include "lab/trace/own/scan.hpp"
#include "lab/trace/own/toolchain.hpp"

namespace cairn::lab::trace {

struct OwnSource {
  std::string file;                // as the user wrote it
  std::string kernel;              // "tile<float, 32>"
  std::vector<std::string> flags;  // for the compiler, "-DN=4"
};

// A folder in the system's folder for temporary files, gone when this object is or a signal ends the command.
class Workplace {
 public:
  Workplace();
  std::string operator/(const char* name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryPath folder_;
};

struct OwnProgram {
  std::string path;
  Scanned scanned;  // without its text
};

// Throws Error: what is wrong with the file or the kernel's name, in one line. `tick` as for run_program().
OwnProgram build_program(const OwnSource& source, const Tools& tools, const Workplace& place,
                         const std::function<bool()>& tick);

// The name of the user file's folder in the program's line tables.
inline constexpr const char* kUsersFolder = "/cairn_users_folder/";

// The text with files in that folder named as the user named them.
std::string named_by_user(std::string text, const std::string& users_file);

// The first error in what g++ wrote, as "file:line: text" and how many more there are; the place is where the user's
// code includes what is refused. Empty if there is none.
std::string first_error(const std::string& output, const std::string& users_file);

}  // namespace cairn::lab::trace
