// The diff of two rungs for people and for scripts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/diff/changes.hpp"
#include "lab/diff/rung_source.hpp"
#include "lab/table.hpp"

namespace cairn::lab::diff {

// Two rungs and what changed from one to the other.
struct RungDiff {
  RungSource old, now;
  bool raw = false;  // the files as they are
  Code old_code, now_code;
  Changes changes;
  int raw_added = 0, raw_removed = 0;
};

RungDiff compare_rungs(RungSource old, RungSource now, bool raw);

struct Look {
  std::size_t context = 3;  // unchanged lines around a change
  bool colour = false;
  std::size_t width = 120;  // of the page, for side_by_side
  std::size_t wrap = 0;     // unified lines that are longer are wrapped; 0: none
};

std::string unified(const RungDiff& diff, const Look& look);
std::string side_by_side(const RungDiff& diff, const Look& look);
std::string as_markdown(const RungDiff& diff, const Look& look);
std::string as_json(const RungDiff& diff, const Look& look);
Table as_table(const RungDiff& diff, const Look& look);  // for CSV: a row for each line

// "12 -> 15: 34 lines added, 29 removed, 11 moved, of 138 (raw: 71 and 67)".
std::string count_line(const RungDiff& diff);

// For the table of all rungs: a rung, its parent, and how many lines changed; no counts where `diff` is null.
std::vector<Column> ladder_columns();
std::vector<Cell> ladder_row(const RungSource& rung, const RungDiff* diff);

}  // namespace cairn::lab::diff
