#include "lab/program/ptx/instruction.hpp"

#include <cctype>

namespace cairn::lab::program {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text.substr(i).starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      out += ' ';
    } else if (text.substr(i).starts_with("%%")) {
      out += '%', ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string out;  // with single spaces
  for (const char c : text)
    if (!is_space(c) || out.back() != ' ') out += is_space(c) ? ' ' : c;
  return out;
}

struct Unreadable {};

// The operands of one instruction, separated by commas.
class Operands {
 public:
  explicit Operands(std::string_view text) : text_(text) {}

  std::vector<PtxOperand> parse() {
    std::vector<PtxOperand> operands;
    pass_spaces();
    while (at_ < text_.size()) {
      operands.push_back(operand());
      if (at_ == text_.size()) break;
      if (!take(',') || at_ == text_.size()) throw Unreadable{};
    }
    return operands;
  }

 private:
  void pass_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    pass_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    pass_spaces();
    return true;
  }

  PtxOperand operand() {
    PtxOperand first = simple();
    if (!take('|')) return first;
    return {PtxOperand::Kind::pair, "", false, {first, simple()}};
  }

  PtxOperand simple() {
    if (take('{')) return {PtxOperand::Kind::list, "", false, until('}')};
    if (take('[')) return {PtxOperand::Kind::address, "", false, until(']')};
    PtxOperand found;
    found.inverted = take('!');
    const std::size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    pass_spaces();
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
    found.text = text_.substr(begin, at_ - begin);
    if (found.text.empty()) throw Unreadable{};
    const char c = found.text[0];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+')
      found.kind = PtxOperand::Kind::number;
    pass_spaces();
    return found;
  }

  // In an address a sum is two parts, as are those separated by a comma.
  std::vector<PtxOperand> until(char close) {
    std::vector<PtxOperand> parts;
    while (!take(close)) {
      if (at_ >= text_.size()) throw Unreadable{};
      if (!parts.empty() && !take(',') && text_[at_] != '+' && text_[at_] != '-') throw Unreadable{};
      if (close == ']') take('+');
      parts.push_back(simple());
    }
    return parts;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dot = std::min(text.find('.', at), text.size());
    if (dot > at) words.emplace_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

PtxLine mark(PtxLine::Kind kind, std::string_view text = "") {
  PtxLine line;
  line.kind = kind;
  line.text = text;
  return line;
}

PtxLine line_of(const std::string& text) {
  PtxLine line = mark(PtxLine::Kind::instruction, text);
  std::string_view rest = line.text;
  if (rest.starts_with("@")) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) throw Unreadable{};
    line.guard = rest.substr(1, space - 1);
    rest.remove_prefix(space + 1);
    if (line.guard.starts_with("!")) line.guard.erase(0, 1), line.guard_inverted = true;
  }
  std::size_t space = std::min(rest.find_first_of(" \t"), rest.size());
  if (rest.starts_with(".reg")) {
    line.kind = PtxLine::Kind::registers;
    rest.remove_prefix(space);
    while (rest.starts_with(" ")) rest.remove_prefix(1);
    space = std::min(rest.find(' '), rest.size());
  }
  line.words = split(rest.substr(0, space));
  if (line.words.empty()) throw Unreadable{};
  line.operands = Operands(rest.substr(space)).parse();
  return line;
}

}  // namespace

std::optional<std::vector<PtxLine>> parse_ptx(std::string_view raw) {
  const std::string clean = without_comments(raw);
  const std::string_view text = clean;
  std::vector<PtxLine> lines;
  try {
    for (std::size_t at = 0; at < text.size();) {
      if (is_space(text[at]) || text[at] == ';') {
        ++at;
      } else if (text[at] == '{' || text[at] == '}') {
        lines.push_back(mark(text[at] == '{' ? PtxLine::Kind::open : PtxLine::Kind::close));
        ++at;
      } else {
        std::size_t name = at;
        while (name < text.size() && is_name(text[name])) ++name;
        std::size_t colon = name;
        while (colon < text.size() && is_space(text[colon])) ++colon;
        if (name > at && text.substr(colon).starts_with(":") && !text.substr(colon).starts_with("::")) {
          lines.push_back(mark(PtxLine::Kind::label, text.substr(at, name - at)));
          at = colon + 1;
          continue;
        }
        const std::size_t end = std::min(text.find(';', at), text.size());
        lines.push_back(line_of(trimmed(text.substr(at, end - at))));
        at = end + 1;
      }
    }
  } catch (const Unreadable&) {
    return {};
  }
  return lines;
}

}  // namespace cairn::lab::program
