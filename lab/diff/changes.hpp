// What changed from one source to another, line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lab/diff/normalize.hpp"

namespace cairn::lab::diff {

enum class Kind : std::uint8_t { same, removed, added, moved_from, moved_to };

struct Change {
  Kind kind = Kind::same;
  // Indices of Code::lines. A line that is the same has both, unless the line breaks differ there.
  std::optional<std::size_t> old, now;
  std::size_t block = 0;  // of moved lines: index of Changes::moves
};

// A block of lines that is the same in both, at another place. Its line breaks may differ.
struct Move {
  std::size_t old_first, old_lines, now_first, now_lines;
};

struct Changes {
  std::vector<Change> lines;  // in the order they are shown
  std::vector<Move> moves;
  int added = 0, removed = 0, moved = 0;  // lines; moved as the new code has them
};

// Statements are compared, and lines only where statements differ: a changed line break is no change. With `find_moves`
// a block of lines that was removed here and added there counts as moved, unless it is too short to be told from chance.
Changes compare(const Code& old, const Code& now, bool find_moves);

}  // namespace cairn::lab::diff
