#include "lab/diff/normalize.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lab/diff/tokens.hpp"

namespace cairn::lab::diff {
namespace {

// "simt/12_a_transposed_vec4" is the namespace simt_12, the kernel simt_12_a_transposed_vec4 and the page simt/12. A
// rung without a number, such as "probe/copy", has one name for all three.
struct Spellings {
  explicit Spellings(const std::string& id) : kernel(id), name_space(id), page(id) {
    const std::size_t slash = id.find('/'), end = id.find('_', slash == std::string::npos ? 0 : slash);
    const bool numbered =
        slash != std::string::npos && slash + 1 < id.size() && id[slash + 1] >= '0' && id[slash + 1] <= '9';
    if (numbered && end != std::string::npos) page = id.substr(0, end);
    name_space = page;
    std::ranges::replace(kernel, '/', '_');
    std::ranges::replace(name_space, '/', '_');
  }
  std::string kernel, name_space, page;
};

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  if (what.empty()) return;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

class OwnNameFilter {
 public:
  OwnNameFilter(const OwnNames& names, const std::vector<SourceToken>& tokens) : names_(names), own_(names.id) {
    // extern __shared__ … NAME []: linkers want a name of its own in every rung.
    bool shared = false;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].text == "extern") shared = tokens[i + 1].text == "__shared__";
      if (tokens[i].text == ";") shared = false;
      if (shared && tokens[i].kind == TokenKind::word && tokens[i + 1].text == "[") shared_array_ = tokens[i].text;
    }
  }

  std::string operator()(const SourceToken& token) const {
    std::string text = token.text;
    if (names_.id.empty()) return text;
    if (token.kind == TokenKind::literal) {
      if (!names_.title.empty() && text == '"' + names_.title + '"') return "@title";
      replace_all(text, names_.id, "@id");
      replace_all(text, own_.page, "@rung");
    } else if (token.kind == TokenKind::word) {
      if (text == shared_array_) return "@_shared";
      if (text == own_.kernel) return "@kernel";
      if (text == own_.name_space) return "@rung";
      if (text.starts_with(own_.name_space + "_")) return "@" + text.substr(own_.name_space.size());
    }
    return text;
  }

 private:
  const OwnNames& names_;
  Spellings own_;
  std::string shared_array_;
};

class StatementReader {
 public:
  StatementReader(const std::vector<SourceToken>& tokens, const std::vector<std::size_t>& lines)
      : tokens_(tokens), lines_(lines) {}

  // `keys` are the tokens as they are compared.
  std::vector<Statement> run(const std::vector<std::string>& keys) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (begins_another(i)) end_statement();
      if (begin_ == kNone) begin_ = i, result_.push_back({"", lines_[i], lines_[i]});
      result_.back().key += keys[i] + " ";
      result_.back().last_line = lines_[i];
      if (!token.directive && token.kind == TokenKind::punctuation && ends_here(i)) end_statement();
    }
    return std::move(result_);
  }

 private:
  enum class Open : std::uint8_t { parenthesis, block, initializer };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void end_statement() { begin_ = kNone; }

  std::string_view text(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view(); }

  // A directive is a statement by itself, and so is the end of a block: what comes before it may lack its `;`.
  bool begins_another(std::size_t i) const {
    if (begin_ == kNone) return false;
    if (tokens_[i].begins_line || tokens_[i].directive != tokens_[i - 1].directive) return true;
    return !tokens_[i].directive && text(i) == "}" && !open_.empty() && open_.back() == Open::block;
  }

  bool ends_here(std::size_t i) {
    const std::string_view t = text(i);
    if (t == "(" || t == "[") open_.push_back(Open::parenthesis);
    if (t == "{") {
      open_.push_back(opens_block(i) ? Open::block : Open::initializer);
      return open_.back() == Open::block;
    }
    if (t == ")" || t == "]" || t == "}") {
      const bool block = t == "}" && (open_.empty() || open_.back() == Open::block);
      if (!open_.empty()) open_.pop_back();
      if (!block) return false;
      constexpr std::array<std::string_view, 6> goes_on = {";", ",", ")", "else", "while", "("};
      return std::ranges::find(goes_on, text(i + 1)) == goes_on.end();
    }
    return t == ";" && (open_.empty() || open_.back() != Open::parenthesis);
  }

  // The brace of a body, and not that of an initializer: after `)` and some keywords, or in a declaration that is
  // known by its keyword.
  bool opens_block(std::size_t i) const {
    if (i == begin_) return true;
    constexpr std::array<std::string_view, 9> before = {")",        "]",        "else",    "do", "const",
                                                        "noexcept", "override", "mutable", "try"};
    if (std::ranges::find(before, text(i - 1)) != before.end()) return true;
    if (i >= 2 && text(i - 2) == "extern" && tokens_[i - 1].kind == TokenKind::literal) return true;
    for (std::size_t k = begin_; k < i; ++k) {
      constexpr std::array<std::string_view, 5> heads = {"namespace", "struct", "class", "union", "enum"};
      const bool parameter = k > begin_ && (text(k - 1) == "<" || text(k - 1) == ",");
      if (!parameter && std::ranges::find(heads, text(k)) != heads.end()) return text(i - 1) != "=";
    }
    return false;
  }

  const std::vector<SourceToken>& tokens_;
  const std::vector<std::size_t>& lines_;  // of each token
  std::vector<Open> open_;
  std::size_t begin_ = kNone;  // the first token of the statement
  std::vector<Statement> result_;
};

}  // namespace

Code normalized(std::string_view text, const OwnNames& names) {
  Tokens source = tokenize(text);
  const OwnNameFilter filter(names, source.tokens);
  Code code;
  std::vector<std::string> keys;
  std::vector<std::size_t> lines;
  for (const SourceToken& token : source.tokens) {
    if (code.lines.empty() || code.lines.back().number != token.line)
      code.lines.push_back({token.line, std::move(source.lines[static_cast<std::size_t>(token.line) - 1]), ""});
    keys.push_back(filter(token));
    code.lines.back().key += keys.back() + " ";
    lines.push_back(code.lines.size() - 1);
  }
  code.statements = StatementReader(source.tokens, lines).run(keys);
  return code;
}

Code as_it_is(std::string_view text) {
  Code code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(text.substr(at, end - at));
    const std::size_t index = code.lines.size();
    const std::string key = end < text.size() ? line + "\n" : line;
    code.lines.push_back({static_cast<int>(index) + 1, line, key});
    code.statements.push_back({key, index, index});
    at = end + 1;
  }
  return code;
}

}  // namespace cairn::lab::diff
