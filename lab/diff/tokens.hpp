// C++ as tokens, with literals and without comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/source/lexer.hpp"

namespace cairn::lab::diff {

// A token lies on one line: a raw string over several lines is a literal on each of them.
struct SourceToken {
  std::string text;
  int line = 0;  // from 1
  TokenKind kind = TokenKind::punctuation;
  bool directive = false;    // within a line that begins with #, and in those that continue it
  bool begins_line = false;  // the # that begins a directive
};

struct Tokens {
  std::vector<SourceToken> tokens;
  std::vector<std::string> lines;  // the text without comments and trailing spaces
};

Tokens tokenize(std::string_view text);

}  // namespace cairn::lab::diff
