// From a CUDA source to an object file that holds its code twice, plain and traced.
#pragma once

#include <string>
#include <vector>

#include "lab/program/nvcc_options.hpp"
#include "lab/program/toolchain.hpp"
#include "lab/program/workplace.hpp"

namespace cairn::lab::program {

// A step of the compiler's failed and has written why.
struct StepFailed {
  int code;
};

// What the steps of a compilation share.
struct Session {
  const NvccOptions& options;
  const Tools& tools;
  const Workplace& place;
};

// Runs a tool. What it writes goes to stderr; throws StepFailed if it fails. -v and -dryrun show the command first.
// Returns what it wrote, if that is `kept`.
std::string step(const Session& session, const std::vector<std::string>& words, bool kept = false);

// The source after the preprocessor, as g++ writes it, to `to`: "-" is stdout. `object` is what a dependency file says
// is made of the source.
void preprocess(const Session& session, const std::string& source, const std::string& to, const std::string& object);

void compile(const Session& session, const std::string& source, const std::string& object);

// The same file with another one as a section of it.
void add_section(const Session& session, const std::string& file, const char* name, const std::string& section,
                 bool exclude);

}  // namespace cairn::lab::program
