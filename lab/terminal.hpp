// What the terminal behind a file descriptor is like.
#pragma once

#include <cstddef>

namespace cairn::lab {

// True for a terminal that knows escape sequences: TERM is set, and not to "dumb".
bool takes_escapes(int file_descriptor);

// The same, if NO_COLOR is not set, or empty.
bool use_colour(int file_descriptor);

// The columns that people ask for by COLUMNS; 0 if they do not.
std::size_t columns_asked();

// Columns of a terminal: those of COLUMNS, else what it says, else 80, and never fewer than 20. 0 for anything else.
std::size_t terminal_columns(int file_descriptor);

}  // namespace cairn::lab
