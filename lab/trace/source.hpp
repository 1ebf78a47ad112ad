// The source of a kernel with the counters of each line.
#pragma once

#include <string>
#include <vector>

#include "emu/trace.hpp"

namespace cairn::lab::trace {

struct SourceLine {
  int number = 0;
  std::string text;
  const emu::LineCounters* seen = nullptr;  // it points into the trace; nullptr: nothing was counted here
};

// One file of a kernel, from a little above its first counted line to a little below its last.
struct Listing {
  std::string file;
  std::vector<SourceLine> lines;  // empty where the file cannot be read
};

// Where the files of a trace are looked for, in order: the project's own, then the current directory.
std::vector<std::string> source_roots();
// For a user's file the other way round: its path is relative to the current directory.
std::vector<std::string> own_roots();

// One for each file, the one with the most requests first: the kernel's own, as a rule. A file that is not found has
// no lines. So has one in which a counted line does not exist: then it is not the file that was traced.
std::vector<Listing> listings(const emu::KernelTrace& kernel, const std::vector<std::string>& roots = source_roots());

// The text of one counted line, without its indentation; empty where it cannot be read.
std::string text_of(const std::vector<Listing>& all, const emu::Place& place);

}  // namespace cairn::lab::trace
