#include "lab/program/ptx/asm_statement.hpp"

#include <algorithm>

namespace cairn::lab::program {
namespace {

// "a\n" is a and a new line; R"(a\n)" is as it stands.
std::string content(std::string_view literal) {
  const std::size_t quote = literal.find('"');
  if (quote == std::string_view::npos || literal.size() < quote + 2) return "";
  std::string_view inside = literal.substr(quote + 1, literal.size() - quote - 2);
  if (quote > 0 && literal[quote - 1] == 'R') {
    const std::size_t open = inside.find('(');
    return std::string(inside.substr(open + 1, inside.size() - 2 * open - 2));
  }
  std::string text;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      text += inside[i];
      continue;
    }
    const char escaped = inside[++i];
    if (escaped == '\n') continue;  // a literal that goes on in the next line
    text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? ' ' : escaped;
  }
  return text;
}

class Parser {
 public:
  Parser(std::span<const Token> tokens, std::string_view source) : tokens_(tokens), source_(source) {}

  std::optional<AsmStatement> parse() {
    AsmStatement statement{literal(), {}};
    if (at_ == 0) return {};
    // Outputs, inputs and clobbers, each after a colon; :: are two.
    for (int section = 0; at_ < tokens_.size() && section < 3;) {
      if (is("::")) {
        section += 2, ++at_;
      } else if (is(":")) {
        section += 1, ++at_;
      } else if (is(",")) {
        ++at_;
      } else if (section == 3) {
        break;
      } else if (section == 0 || !operand(statement, section == 1)) {
        return {};
      }
    }
    return statement;
  }

 private:
  bool is(std::string_view text) const {
    return at_ < tokens_.size() && tokens_[at_].text == text && tokens_[at_].kind != TokenKind::literal;
  }

  std::string literal() {
    std::string text;
    for (; at_ < tokens_.size() && tokens_[at_].kind == TokenKind::literal; ++at_) text += content(tokens_[at_].text);
    return text;
  }

  // "=r"(expression)
  bool operand(AsmStatement& statement, bool output) {
    AsmOperand operand;
    for (const char c : literal()) {
      if (c == '+') operand.input = true;
      if (c != '+' && c != '=' && c != '&') operand.constraint += c;
    }
    operand.output = output;
    operand.input = operand.input || !output;
    if (operand.constraint.empty() || !is("(")) return false;
    const std::size_t begin = tokens_[at_].at;
    for (int depth = 0; at_ < tokens_.size(); ++at_) {
      if (is("(")) ++depth;
      if (is(")") && --depth == 0) break;
    }
    if (at_ == tokens_.size()) return false;
    operand.expression = source_.substr(begin, tokens_[at_].at + 1 - begin);
    std::ranges::replace(operand.expression, '\n', ' ');
    ++at_;
    statement.operands.push_back(std::move(operand));
    return true;
  }

  std::span<const Token> tokens_;
  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<AsmStatement> parse_asm(std::span<const Token> tokens, std::string_view source) {
  return Parser(tokens, source).parse();
}

}  // namespace cairn::lab::program
