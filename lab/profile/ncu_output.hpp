// Parses the output of Nsight Compute: one record for each profiled kernel, or the errors.
//
// With --csv --page raw it writes lines of its own that begin with "==", then a heading, a line of units, and a line
// for each launch. Every field is quoted; a kernel's name has commas of its own, and so have large numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab::profile {

struct Launch {
  std::string kernel;                     // as it was printed
  std::vector<std::int64_t> grid, block;  // three numbers each; empty where it did not say
  // By Nsight Compute's names, in nanoseconds, bytes, hertz and plain numbers; what was n/a is not here.
  std::map<std::string, double, std::less<>> metrics;
};

struct NcuOutput {
  std::vector<Launch> launches;
  std::vector<std::string> errors;    // its lines that begin ==ERROR==, without that
  std::vector<std::string> warnings;  // likewise ==WARNING==
};

NcuOutput read_ncu_output(std::string_view text);

// Of these metrics, those that an error says do not exist.
std::vector<std::string> unknown_metrics(const NcuOutput& output, const std::vector<std::string>& asked);

// RFC 4180, line breaks of either kind: fields by line.
std::vector<std::vector<std::string>> read_csv(std::string_view text);

// How many of the base unit one of these is: nanoseconds for a time, bytes, hertz; 1 for what has no unit.
double unit_factor(std::string_view unit);

}  // namespace cairn::lab::profile
