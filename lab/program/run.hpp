// Runs a program of cairn-nvcc: as it is, or its traced twin, which writes down what it saw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emu/program/wire.hpp"
#include "emu/trace.hpp"

namespace cairn::lab::program {

// Two kernels to compare, and how.
struct Compare {
  std::string first, second;                       // as they are named on the command line
  std::optional<emu::program::Element> type = {};  // of what they write; none: as their pointers say
};

struct Watch {
  std::uint64_t seed = 1;
  bool detectors = true;  // always on where kernels are compared
  bool count = false;     // merged loads too, and the launches of a kernel by their shape
  bool checksum = false;
  std::optional<Compare> compare = {};
};

struct Watched {
  int code = 0;           // the program's exit code; 128 and the signal's number where one ended it
  bool answered = false;  // false: it launched nothing, or did not exit by itself
  std::string failure;    // of its first launch that failed and whose error it did not ask for
  emu::Trace trace;
  std::vector<emu::program::Launched> launches;  // with their checksums, if those were asked for
  emu::program::Comparison comparison;
  std::vector<emu::KernelTrace> compared;  // of the two kernels
};

// Its output is the command's own. Throws Error (kUsage) if the file is no program of cairn-nvcc.
Watched run_watched(const std::string& file, const std::vector<std::string>& arguments, const Watch& watch);

// Returns the program's exit code.
int run_plain(const std::string& file, const std::vector<std::string>& arguments);

// "void mine::tile<float, 32>" for a kernel whose arguments take more than a line: template arguments that are longer
// than a few words are left out, as <…>.
std::string short_name(const std::string& kernel);

}  // namespace cairn::lab::program
