// Sizes as the command line writes them.
//
//   512                     a cube, m = n = k = 512
//   4096x1024x512           m x n x k
//   256:1024:256            start:stop:step, stop included: the cubes 256, 512, 768, 1024
//   1:64:21x4096x4096       a range in any of the three; with several, every combination
//
// Several, separated by commas, follow one another.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::lab {

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
  bool operator==(const Shape&) const = default;
};

// Throws Error(kUsage) that shows the piece it could not read.
std::vector<Shape> parse_shapes(std::string_view text);

}  // namespace cairn::lab
