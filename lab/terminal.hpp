// What the terminal behind a file descriptor can do.
#pragma once

#include <cstddef>

namespace cairn::lab {

// True for a terminal that knows escape sequences: TERM is set, and not to "dumb".
bool takes_escapes(int file_descriptor);

// Columns of the terminal; 80 if it does not say.
std::size_t terminal_columns(int file_descriptor);

}  // namespace cairn::lab
