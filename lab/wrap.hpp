// Text in rows as wide as a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab {

// `text` in rows of at most `width` columns. Broken at spaces; a word that is longer than a row after "::", and only then
// within. Rows after the first begin with `hang` spaces. Tabs become spaces.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t hang = 0);

// The least width at which wrapped() breaks no word, other than after "::".
std::size_t widest_piece(std::string_view text);

// The spaces that a line begins with.
std::size_t indent_of(std::string_view line);

// Every line of `text`, wrapped if it is wider than `width`, its further rows indented by `hang` more. A command, which
// is an indented line that begins with cairn, is continued by a backslash, so that it can be pasted. 0: as it is.
std::string fitted(std::string_view text, std::size_t width, std::size_t hang = 2);

}  // namespace cairn::lab
