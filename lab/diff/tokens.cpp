#include "lab/diff/tokens.hpp"

#include <algorithm>

namespace cairn::lab::diff {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { result_.lines.emplace_back(); }

  Tokens run() {
    Lexer lexer(text_);
    std::size_t past = 0;  // the token before
    for (Token token = lexer.next();; token = lexer.next()) {
      keep(text_.substr(past, token.at - past));
      if (token.text.empty()) break;
      past = token.at + token.text.size();
      if (token.kind == TokenKind::comment) {
        result_.lines.resize(result_.lines.size() + static_cast<std::size_t>(std::ranges::count(token.text, '\n')));
      } else {
        add(token);
      }
    }
    for (std::string& line : result_.lines) line.erase(line.find_last_not_of(" \t\r\f\v") + 1);
    return std::move(result_);
  }

 private:
  // A token, or one on each line where it has several.
  void add(const Token& token) {
    const bool begins_directive = token.directive && token.begins_line;
    for (std::string_view rest = token.text; !rest.empty();) {
      const std::size_t stop = std::min(rest.find('\n'), rest.size());
      std::string part(rest.substr(0, stop));
      if (stop < rest.size() && part.ends_with('\r')) part.pop_back();
      if (!part.empty())
        result_.tokens.push_back(
            {part, static_cast<int>(result_.lines.size()), token.kind, token.directive, begins_directive});
      const std::size_t taken = std::min(stop + 1, rest.size());
      keep(rest.substr(0, taken));
      rest.remove_prefix(taken);
    }
  }

  void keep(std::string_view code) {
    for (const char c : code) c == '\n' ? void(result_.lines.emplace_back()) : void(result_.lines.back() += c);
  }

  std::string_view text_;
  Tokens result_;
};

}  // namespace

Tokens tokenize(std::string_view text) { return Reader(text).run(); }

}  // namespace cairn::lab::diff
