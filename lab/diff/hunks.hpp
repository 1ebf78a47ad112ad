// A diff as text: the changes with the lines around them, one below the other or in two columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/diff/show.hpp"

namespace cairn::lab::diff {

// Indices first … last - 1 of Changes::lines.
struct Hunk {
  std::size_t first, last;
};
std::vector<Hunk> hunks(const Changes& changes, std::size_t context);

std::string unified_lines(const RungDiff& diff, const Look& look);
std::string two_columns(const RungDiff& diff, const Look& look);

}  // namespace cairn::lab::diff
