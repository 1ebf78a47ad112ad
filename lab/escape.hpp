// Text that others wrote, such as the names in a record: shown as it is, never obeyed by a terminal or a page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::lab {

enum class Breaks : std::uint8_t { keep, escape };  // line breaks: of a text of several lines, or of a name

// Control characters, characters that reverse the direction of writing, and bytes that are not UTF-8 as \x1b, \u202e and
// \xff. Tabs stay.
std::string visible(std::string_view text, Breaks breaks = Breaks::keep);

// The same on one line: line breaks become "; ".
std::string one_line(std::string_view text);

// Each line as Markdown that shows the same characters: no emphasis, links, HTML, headings or cells of a table.
std::string as_markdown(std::string_view text);

// For HTML and SVG, also inside the quotes of an attribute.
std::string as_html(std::string_view text);

}  // namespace cairn::lab
