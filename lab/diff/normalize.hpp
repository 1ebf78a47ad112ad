// Source code as a diff of two rungs compares it: without comments, blank lines, the rung's own names and the choice
// of line breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab::diff {

// What a rung calls itself; these differ from rung to rung whatever the lesson is.
struct OwnNames {
  std::string id;     // "simt/12_a_transposed_vec4": also simt_12, simt_12_a_transposed_vec4 and simt_12_shared
  std::string title;  // of the card
};

struct CodeLine {
  int number = 0;    // in the file, from 1
  std::string text;  // as written, without comments and trailing spaces
  std::string key;   // its tokens, each followed by a space; own names replaced
};

// A run of tokens that ends at `;`, at a brace of a block or at the end of a directive, on one line or on several.
struct Statement {
  std::string key;
  std::size_t first_line = 0, last_line = 0;  // indices of Code::lines
};

struct Code {
  std::vector<CodeLine> lines;
  std::vector<Statement> statements;
};

Code normalized(std::string_view text, const OwnNames& names);

// The file as it is: every line is a statement. The key of a line has its line break, which the last may lack.
Code as_it_is(std::string_view text);

}  // namespace cairn::lab::diff
