// A lexer for C++ that is enough to find certain words: it skips comments, strings and character literals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::lab::trace {

struct Token {
  std::string_view text;   // a word, a number or a punctuation mark; empty at the end
  std::size_t at = 0;      // its position in the text
  bool directive = false;  // within a line that begins with #
  bool begins = false;     // a line
  bool word() const {
    const char c = text.empty() ? ' ' : text.front();
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  bool pass_over();  // a space, a comment, a literal; false if the next token begins here
  void pass_literal(char quote);
  void pass_raw_string();

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true, directive_ = false;
};

}  // namespace cairn::lab::trace
