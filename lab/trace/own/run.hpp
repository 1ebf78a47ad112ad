// Compiles a user's kernel, runs it once under the traced emulator, and returns the trace.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/trace/own/compile.hpp"
#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

struct OwnRun {
  OwnSource source;
  emu::program::ProgramInput asked;
};

struct OwnSeen {
  Traced run;
  std::string printed;  // by the kernel
  std::vector<std::string> notes;
};

// Whether this is a file to compile, and not the id of a rung.
bool is_source(const std::string& id);

// Throws Error: one line, code 2 for an error of the user, 77 if a tool to compile with is missing.
OwnSeen trace_own(const OwnRun& wanted, const std::function<bool()>& tick = {});

// "arg 2, f32[4096]: 0 1 2 3 4 5 6 7 …; 12 elements were never written, the first is [100]": one for each buffer.
std::vector<std::string> buffer_lines(const std::vector<emu::program::Buffer>& buffers);

}  // namespace cairn::lab::trace
