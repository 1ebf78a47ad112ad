#include "lab/diff/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace cairn::lab::diff {
namespace {

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Longest first.
constexpr std::string_view kOperators[] = {"<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--",
                                           "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
                                           "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "##", ".*"};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { result_.lines.emplace_back(); }

  Tokens run() {
    while (at_ < text_.size()) read();
    for (std::string& line : result_.lines) line.erase(line.find_last_not_of(" \t\r\f\v") + 1);
    return std::move(result_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void read() {
    const char c = text_[at_];
    if (c == '\n') {
      directive_ = false;
      pass(1);
    } else if (const std::size_t splice = splice_length(); splice > 0) {
      pass(splice);
    } else if (is_space(c)) {
      pass(1);
    } else if (rest().starts_with("//")) {
      skip_line_comment();
    } else if (rest().starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      skip(end == std::string_view::npos ? text_.size() : end + 2);
    } else {
      read_token(c);
    }
  }

  void read_token(char c) {
    const std::size_t begin = at_;
    std::size_t end = begin + 1;
    TokenKind kind = TokenKind::punctuation;
    const bool begins_line = result_.lines.back().find_first_not_of(" \t\r") == std::string::npos;
    if (is_digit(c) || (c == '.' && begin + 1 < text_.size() && is_digit(text_[begin + 1]))) {
      kind = TokenKind::number, end = end_of_number(begin);
    } else if (in_word(c)) {
      while (end < text_.size() && in_word(text_[end])) ++end;
      kind = TokenKind::word;
      if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') &&
          is_prefix(text_.substr(begin, end - begin)))
        kind = TokenKind::literal, end = end_of_literal(end, text_[end - 1] == 'R' && text_[end] == '"');
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::literal, end = end_of_literal(begin, false);
    } else {
      for (const std::string_view op : kOperators)
        if (end == begin + 1 && rest().starts_with(op)) end = begin + op.size();
    }
    const bool directive_begins = c == '#' && begins_line && !directive_;
    directive_ = directive_ || directive_begins;
    add(begin, end, kind, directive_begins);
  }

  // The text between two places as a token, or as one on each line where it has several.
  void add(std::size_t begin, std::size_t end, TokenKind kind, bool begins_directive) {
    while (begin < end) {
      const std::size_t stop = std::min(text_.find('\n', begin), end);
      std::string part(text_.substr(begin, stop - begin));
      if (stop < end && part.ends_with('\r')) part.pop_back();
      if (!part.empty()) result_.tokens.push_back({part, line(), kind, directive_, begins_directive});
      begin = std::min(stop + 1, end);
      pass(begin - at_);
    }
  }

  std::size_t end_of_number(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      const char c = text_[at], before = text_[at - 1];
      const bool exponent =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && at + 1 < text_.size() && in_word(text_[at + 1]);
      if (!in_word(c) && c != '.' && !exponent && !separator) break;
    }
    return at;
  }

  // An ordinary literal ends with its line if nothing else ends it, a raw one with the file.
  std::size_t end_of_literal(std::size_t at, bool raw) const {
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

  static bool is_prefix(std::string_view word) {
    if (word.ends_with('R')) word.remove_suffix(1);
    return word.empty() || word == "u8" || word == "u" || word == "U" || word == "L";
  }

  std::size_t splice_length() const {
    if (rest().starts_with("\\\n")) return 2;
    return rest().starts_with("\\\r\n") ? 3 : 0;
  }

  void skip_line_comment() {
    std::size_t end = at_;
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && (text_[end - 1] == '\\' || text_.substr(end - 2, 2) == "\\\r"));
    skip(end);
  }

  int line() const { return static_cast<int>(result_.lines.size()); }

  // On to the next character of the code, or of a comment, which the lines are without.
  void pass(std::size_t characters) {
    for (; characters > 0; --characters, ++at_)
      text_[at_] == '\n' ? void(result_.lines.emplace_back()) : keep(text_[at_]);
  }
  void keep(char c) { result_.lines.back() += c; }
  void skip(std::size_t end) {
    for (; at_ < end; ++at_)
      if (text_[at_] == '\n') result_.lines.emplace_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool directive_ = false;
  Tokens result_;
};

}  // namespace

Tokens tokenize(std::string_view text) { return Reader(text).run(); }

}  // namespace cairn::lab::diff
