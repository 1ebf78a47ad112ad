#include "lab/source/lexer.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace cairn::lab {
namespace {

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Longest first.
constexpr std::string_view kOperators[] = {"<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++",
                                           "--",  "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=",
                                           "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "##", ".*"};

// R, u8R, LR … before a quote begins a raw string; u8, L … an ordinary one.
bool is_prefix(std::string_view word) {
  if (word.ends_with('R')) word.remove_suffix(1);
  return word.empty() || word == "u8" || word == "u" || word == "U" || word == "L";
}

// A backslash before the end of a line: the line goes on.
std::size_t splice_length(std::string_view text) {
  if (text.starts_with("\\\n")) return 2;
  return text.starts_with("\\\r\n") ? 3 : 0;
}

}  // namespace

void Lexer::pass_spaces() {
  while (at_ < text_.size()) {
    const std::size_t splice = splice_length(rest());
    if (splice == 0 && !is_space(text_[at_])) return;
    if (text_[at_] == '\n') line_begins_ = true, directive_ = false;
    at_ += std::max<std::size_t>(splice, 1);
  }
}

std::size_t Lexer::end_of_comment() const {
  if (rest().starts_with("//")) {
    std::size_t end = at_;
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && (text_[end - 1] == '\\' || text_.substr(end - 2, 2) == "\\\r"));
    return end;
  }
  if (!rest().starts_with("/*")) return at_;
  const std::size_t end = text_.find("*/", at_ + 2);
  return end == std::string_view::npos ? text_.size() : end + 2;
}

std::size_t Lexer::end_of_number() const {
  std::size_t at = at_ + 1;
  for (; at < text_.size(); ++at) {
    const char c = text_[at], before = text_[at - 1];
    const bool exponent =
        (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
    const bool separator = c == '\'' && at + 1 < text_.size() && in_word(text_[at + 1]);
    if (!in_word(c) && c != '.' && !exponent && !separator) break;
  }
  return at;
}

// An ordinary literal ends with its line if nothing else ends it, a raw one with the file.
std::size_t Lexer::end_of_literal(std::size_t at, bool raw) const {
  if (raw) {
    const std::size_t open = std::min(text_.find('(', at), text_.size());
    const std::string mark = ")" + std::string(text_.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t close = text_.find(mark, open);
    return close == std::string_view::npos ? text_.size() : close + mark.size();
  }
  const char quote = text_[at];
  for (++at; at < text_.size() && text_[at] != quote && text_[at] != '\n'; ++at)
    if (text_[at] == '\\' && at + 1 < text_.size()) ++at;
  return at < text_.size() && text_[at] == quote ? at + 1 : at;
}

Token Lexer::next() {
  pass_spaces();
  Token token{{}, at_, TokenKind::punctuation, directive_, line_begins_};
  if (at_ == text_.size()) return token;
  const char c = text_[at_];
  std::size_t end = end_of_comment();
  if (end > at_) {
    token.kind = TokenKind::comment;
  } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    token.kind = TokenKind::number, end = end_of_number();
  } else if (in_word(c)) {
    while (end < text_.size() && in_word(text_[end])) ++end;
    token.kind = TokenKind::word;
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && is_prefix(text_.substr(at_, end - at_)))
      token.kind = TokenKind::literal, end = end_of_literal(end, text_[end - 1] == 'R' && text_[end] == '"');
  } else if (c == '"' || c == '\'') {
    token.kind = TokenKind::literal, end = end_of_literal(at_, false);
  } else {
    const auto* const found = std::ranges::find_if(kOperators, [&](auto op) { return rest().starts_with(op); });
    end = at_ + (found == std::end(kOperators) ? 1 : found->size());
    if (c == '#' && line_begins_) token.directive = directive_ = true;
  }
  token.text = text_.substr(at_, end - at_);
  if (token.kind != TokenKind::comment) line_begins_ = false;
  at_ = end;
  return token;
}

}  // namespace cairn::lab
