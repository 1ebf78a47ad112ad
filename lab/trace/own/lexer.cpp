#include "lab/trace/own/lexer.hpp"

#include <algorithm>
#include <cctype>

namespace cairn::lab::trace {
namespace {

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// R, u8R, LR … before a quote begins a raw string; u8, L … an ordinary one.
bool is_prefix(std::string_view word) {
  if (word.ends_with('R')) word.remove_suffix(1);
  return word.empty() || word == "u8" || word == "u" || word == "U" || word == "L";
}

}  // namespace

void Lexer::pass_literal(char quote) {
  for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == '\\') ++at_;
  }
  at_ = std::min(at_ + 1, text_.size());
}

void Lexer::pass_raw_string() {  // at the quote of R"mark( … )mark"
  const std::size_t open = std::min(text_.find('(', at_), text_.size());
  const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const std::size_t close = text_.find(end, open);
  at_ = close == std::string_view::npos ? text_.size() : close + end.size();
}

bool Lexer::pass_over() {
  const char c = text_[at_];
  const std::string_view rest = text_.substr(at_);
  if (c == '\n') {
    line_begins_ = true, directive_ = false;
    ++at_;
  } else if (rest.starts_with("\\\n")) {  // the line goes on
    at_ += 2;
  } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
    ++at_;
  } else if (rest.starts_with("//")) {
    at_ = std::min(text_.find('\n', at_), text_.size());
  } else if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  } else if (c == '"' || c == '\'') {
    pass_literal(c);
    line_begins_ = false;
  } else {
    return false;
  }
  return true;
}

Token Lexer::next() {
  while (at_ < text_.size()) {
    if (pass_over()) continue;
    const bool begins = line_begins_;
    if (begins && text_[at_] == '#') directive_ = true;
    line_begins_ = false;
    const std::size_t begin = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    if (!in_word(text_[at_])) {
      const std::string_view rest = text_.substr(at_);
      at_ += rest.starts_with("<<<") || rest.starts_with(">>>") ? 3 : 1;
      return {text_.substr(begin, at_ - begin), begin, directive_, begins};
    }
    while (at_ < text_.size() && (in_word(text_[at_]) || (number && text_[at_] == '\''))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && text_[at_] == '"' && is_prefix(word)) {
      word.ends_with('R') ? pass_raw_string() : pass_literal('"');
      continue;
    }
    return {word, begin, directive_, begins};
  }
  return {text_.substr(text_.size()), text_.size(), false, false};
}

}  // namespace cairn::lab::trace
