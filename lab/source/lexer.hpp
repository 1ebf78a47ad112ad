// A lexer for C++ and CUDA: enough to compare sources and to find words in them, without a preprocessor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cairn::lab {

enum class TokenKind : std::uint8_t { word, number, literal, punctuation, comment };

struct Token {
  std::string_view text;  // empty at the end
  std::size_t at = 0;     // its position in the text
  TokenKind kind = TokenKind::punctuation;
  bool directive = false;    // within a line that begins with #, and in those that continue it
  bool begins_line = false;  // nothing but spaces and comments before it
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void pass_spaces();
  std::size_t end_of_comment() const;  // at_ where none begins here
  std::size_t end_of_number() const;
  std::size_t end_of_literal(std::size_t quote, bool raw) const;

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true, directive_ = false;
};

}  // namespace cairn::lab
