// What g++ -E writes, by the files that its lines come from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab::program {

// Lines of the text that come from one file.
struct Stretch {
  std::size_t begin, end;  // in the text
  std::string file;
  int line;  // the number of the first
};

struct Spot {
  std::string file;
  int line = 0;
  std::string what;
};

// The user's lines: not those of system folders, of the compiler, or of files below one of `ours`.
std::vector<Stretch> users_lines(std::string_view preprocessed, const std::vector<std::string>& ours);

// Where a position of the text is; it must be in one of the stretches.
Spot spot_of(std::string_view preprocessed, const std::vector<Stretch>& stretches, std::size_t at, std::string what);

}  // namespace cairn::lab::program
