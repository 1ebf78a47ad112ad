// A table as text, in columns below each other, and how it is made to fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/table.hpp"

namespace cairn::lab {

struct Page {
  std::vector<std::vector<std::string>> lines;  // the first is the heading
  std::vector<Align> aligns;                    // of the columns
  std::vector<std::size_t> spare = {};          // columns, the one to be left out first at the beginning
  std::vector<std::string> names = {};          // of the columns, if one is left out
};

// Lines become columns.
Page turned(const Page& page);

std::vector<std::size_t> widths(const Page& page);
std::string padded(const std::string& text, std::size_t width, Align align);

// As wide as it is.
std::string as_text(const Page& page, bool bold);

// No wider than the terminal. What is tried, in this order: the table as it is; without columns that are empty; headings
// and long text wrapped; upright, if it has few rows; without the least important columns, which a line at the end names.
std::string fit(const Page& page, const Terminal& terminal);

// The same, and every column is there: as many as fit next to the first one, and the next ones below them.
std::string fit_in_blocks(const Page& page, const Terminal& terminal);

}  // namespace cairn::lab
