#include "lab/program/rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "lab/program/index_names.hpp"
#include "lab/program/ptx/translate.hpp"
#include "lab/source/lexer.hpp"

namespace cairn::lab::program {
namespace {

constexpr std::string_view kKernel = "noipa";  // what emu/shadow/emu_qualifiers.h makes of __global__

constexpr std::string_view kCluster = "cairn_cluster_dims";  // and of __cluster_dims__

struct Edit {
  std::size_t begin, end;  // what is replaced
  std::string text;
};

// A text of as many lines as what it replaces, so that all that follows keeps its number.
std::string on_as_many_lines(std::string text, std::string_view replaced) {
  const auto lines = std::ranges::count(replaced, '\n') - std::ranges::count(text, '\n');
  return text + std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines, 0)), '\n');
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool is_asm(std::string_view word) { return word == "asm" || word == "__asm__" || word == "__asm"; }

// A symbol, which a declaration may be given: int a() asm("name").
bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Words after which parentheses are no parameters.
bool takes_parentheses(std::string_view word) {
  return word == "__attribute__" || word == "__attribute" || word == "alignas" || word == "decltype" ||
         word == "noexcept" || word == "requires" || word == "explicit";
}

class Rewriter {
 public:
  Rewriter(const std::string& text, const std::vector<Stretch>& stretches, Rewritten& out)
      : text_(text), stretches_(stretches), out_(out) {
    for (const Stretch& stretch : stretches) {
      Lexer lexer(text_.substr(stretch.begin, stretch.end - stretch.begin));
      for (Token token = lexer.next(); !token.text.empty(); token = lexer.next()) {
        if (token.kind == TokenKind::comment || token.directive) continue;
        token.at += stretch.begin;
        tokens_.push_back(token);
      }
    }
  }

  void work() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::literal) continue;
      if (token.text == "<<<") {
        launch(i);
      } else if (token.text == kKernel) {
        kernel(i);
      } else if (is_asm(token.text)) {
        inline_ptx(i);
      } else if (token.text == "__noinline__" && !is(i - 1, "(") && !is(i - 1, ",")) {
        edits_.push_back({token.at, end_of(i), "__attribute__((noinline))"});
      } else if (token.text == "alignas" && is(i - 1, "thread_local") && is(i + 1, "(")) {
        align(i);
      }
    }
    make_known();
    for (Renamed& one : renamed_indices(tokens_)) edits_.push_back({one.begin, one.end, std::move(one.name)});
    out_.text = edited();
  }

 private:
  // Indices beyond the ends, -1 as an unsigned number included, have no token.
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
  bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::word; }
  std::size_t end_of(std::size_t i) const { return tokens_[i].at + tokens_[i].text.size(); }

  // The index after the bracket that closes the one at `i`; the number of tokens if none does.
  std::size_t past(std::size_t i) const {
    const std::string_view open = tokens_[i].text, close = open == "(" ? ")" : open == "[" ? "]" : "}";
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::literal) continue;
      if (tokens_[i].text == open) ++depth;
      if (tokens_[i].text == close && --depth == 0) return i + 1;
    }
    return i;
  }

  // The index of the bracket that opens what the one at `i` closes. Of < and > also those inside parentheses count as
  // closed, so that `f<(a > b)>` is one template.
  std::optional<std::size_t> opener_of(std::size_t i) const {
    int angles = 0, rounds = 0, squares = 0;
    const bool template_list = tokens_[i].text.starts_with(">");
    for (std::size_t at = i;; --at) {
      const std::string_view text = tokens_[at].text;
      if (text == ")") ++rounds;
      if (text == "(") --rounds;
      if (text == "]") ++squares;
      if (text == "[") --squares;
      if (template_list && rounds == 0 && squares == 0) {
        if (text == ">" || text == ">>" || text == ">>>") angles += static_cast<int>(text.size());
        if (text == "<" || text == "<<" || text == "<<<") angles -= static_cast<int>(text.size());
        if (text == ";" || text == "{" || text == "}") return {};
      }
      if (angles <= 0 && rounds == 0 && squares == 0) return at;
      if (at == 0) return {};
    }
  }

  // Where the expression begins that names the kernel of the launch at `i`: mine::tile<32>, table[2], (*pointer).
  std::optional<std::size_t> kernels_name(std::size_t i) const {
    std::size_t at = i;
    while (at > 0) {
      std::size_t part = at - 1;
      const std::string_view last = tokens_[part].text;
      const bool bracket = last == ")" || last == "]" || last == ">" || last == ">>" || last == ">>>";
      if (bracket) {
        const auto opener = opener_of(part);
        if (!opener) return {};
        part = *opener;
        // A list of template arguments and an index follow a name, parentheses may stand alone.
        if (last != ")" || (part > 0 && is_word(part - 1) && !is(part - 1, "return"))) {
          at = part;
          if (last == ")" || last == "]" || !is_word(part - 1)) continue;
          part = part - 1;
        }
      } else if (!is_word(part)) {
        return {};
      }
      at = part;
      if (is(at - 1, "template")) --at;
      if (!is(at - 1, "::") && !is(at - 1, ".") && !is(at - 1, "->")) return at;
      --at;
      if (is(at, "::") && !is_word(at - 1) && !(at > 0 && tokens_[at - 1].text.starts_with(">")))
        return at;  // ::tile
      if (is(at, "::") && is(at - 1, "return")) return at;
    }
    return {};
  }

  void launch(std::size_t i) {
    std::size_t close = i + 1;
    while (close < tokens_.size() && tokens_[close].text != ">>>") {
      const std::string_view text = tokens_[close].text;
      if (text == ";" || text == "}") return;
      close = text == "(" || text == "[" || text == "{" ? past(close) : close + 1;
    }
    const auto name = kernels_name(i);
    if (!name || close + 1 >= tokens_.size() || !is(close + 1, "(")) return;  // the compiler says what is wrong
    const std::size_t begin = tokens_[*name].at;
    const std::string_view whole = text_.substr(begin, tokens_[i].at - begin);
    edits_.push_back({begin, end_of(i), on_as_many_lines("::cairn::emu::program::Launcher(", whole)});
    const bool none = is(close + 2, ")");
    edits_.push_back(
        {tokens_[close].at, end_of(close + 1),
         fmt::format(")([&](auto... cairn_p) __attribute__((no_sanitize(\"thread\"))) {{ {}(cairn_p...); "
                     "}}{}{}",
                     on_one_line(std::string(whole)), none ? "" : ", ",
                     on_as_many_lines("", text_.substr(tokens_[close].at, end_of(close + 1) - tokens_[close].at)))});
    ++out_.launches;
  }

  // __attribute__((noipa)) void name(…) {
  void kernel(std::size_t i) {
    const std::size_t word = i;
    for (++i; i < tokens_.size(); ++i) {
      if (is(i, ";") || is(i, "{") || is(i, "}")) return;
      if (!is(i, "(")) continue;
      const bool after_list = is(i - 1, ">") || is(i - 1, ">>");
      if (after_list || (is_word(i - 1) && !takes_parentheses(tokens_[i - 1].text))) break;
      i = past(i) - 1;
    }
    if (i >= tokens_.size()) return;
    const auto opener = is_word(i - 1) ? std::optional(i) : opener_of(i - 1);
    const std::string name(opener && *opener > 0 ? tokens_[*opener - 1].text : "");
    std::string cluster;
    for (std::size_t at = beginning_of(word); at < i; ++at)
      if (is(at, kCluster)) cluster = cut_cluster(at);
    for (i = past(i); i < tokens_.size(); ++i) {
      if (is(i, ";")) return;  // a declaration
      if (is(i, "(")) i = past(i) - 1;
      if (is(i, "{")) break;
    }
    if (i >= tokens_.size()) return;
    edits_.push_back({end_of(i), end_of(i),
                      fmt::format(" static thread_local char cairn_kernel; "
                                  "if (::cairn::emu::program::entered(&cairn_kernel{})) return;",
                                  cluster)});
    kernels_.push_back({name, past(i) - 1, is_template(word)});
  }

  // __attribute__((cairn_cluster_dims(2, 1, 1))) is taken out, and its arguments are handed to entered().
  std::string cut_cluster(std::size_t i) {
    const std::size_t end = past(i + 1) - 1;
    if (!is(i + 1, "(") || end >= tokens_.size()) return "";
    const std::string sizes(text_.substr(end_of(i + 1), tokens_[end].at - end_of(i + 1)));
    edits_.push_back(
        {tokens_[i].at, end_of(end), on_as_many_lines("", text_.substr(tokens_[i].at, end_of(end) - tokens_[i].at))});
    return fmt::format(", ::dim3({})", on_one_line(sizes));
  }

  // The first token of the declaration that this one is in.
  std::size_t beginning_of(std::size_t i) const {
    while (i > 0 && !is(i - 1, ";") && !is(i - 1, "{") && !is(i - 1, "}")) --i;
    return i;
  }

  bool is_template(std::size_t i) const {
    for (std::size_t at = beginning_of(i); at < i; ++at)
      if (is(at, "template")) return true;
    return false;
  }

  // A kernel that is given as void* later. Of a template there are many, and an overloaded name is none by itself.
  void make_known() {
    for (const Kernel& kernel : kernels_) {
      if (std::ranges::find(out_.kernels, kernel.name) == out_.kernels.end()) out_.kernels.push_back(kernel.name);
      const auto same = [&](const Kernel& other) { return other.name == kernel.name; };
      if (kernel.is_template || kernel.end >= tokens_.size() || std::ranges::count_if(kernels_, same) > 1) continue;
      edits_.push_back(
          {end_of(kernel.end), end_of(kernel.end),
           fmt::format(" static const ::cairn::emu::program::Known cairn_known_{0}({0});", kernel.name)});
    }
  }

  // __shared__ alignas(16) float x[4], of which g++ takes alignas in front of thread_local alone.
  void align(std::size_t i) {
    const std::size_t end = past(i + 1);
    if (end > tokens_.size()) return;
    const std::string_view what = text_.substr(end_of(i + 1), tokens_[end - 1].at - end_of(i + 1));
    edits_.push_back({tokens_[i].at, end_of(end - 1), fmt::format("__attribute__((aligned({})))", what)});
  }

  // asm volatile("text" "more" : outputs : inputs : clobbers), and nothing of a declaration int a asm("name").
  void inline_ptx(std::size_t i) {
    std::size_t open = i + 1;
    while (is_word(open)) ++open;
    if (!is(open, "(") || open + 1 >= tokens_.size() || tokens_[open + 1].kind != TokenKind::literal) return;
    if (!is(i - 1, ";") && !is(i - 1, "{") && !is(i - 1, "}") && !is(i - 1, ")") && !is(i - 1, "else") &&
        !is(i - 1, ":"))
      return;
    const std::size_t end = past(open) - 1;
    if (end >= tokens_.size()) return;
    const auto inside = std::span(tokens_).subspan(open + 1, end - open - 1);
    const auto statement = parse_asm(inside, text_);
    if (!statement) return;  // the compiler says what is wrong
    if (is(i - 1, ")") && is_name(statement->text)) return;
    const Spot spot = spot_of(text_, stretches_, tokens_[i].at, "");
    const std::string_view whole = text_.substr(tokens_[i].at, end_of(end) - tokens_[i].at);
    edits_.push_back({tokens_[i].at, end_of(end), on_as_many_lines(translate(*statement, spot), whole)});
  }

  std::string edited() {
    std::ranges::stable_sort(edits_, {}, &Edit::begin);
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < at) continue;  // within what has been replaced, such as a launch among a launch's arguments
      text.append(text_.substr(at, edit.begin - at)).append(edit.text);
      at = edit.end;
    }
    return text.append(text_.substr(at));
  }

  std::string_view text_;
  const std::vector<Stretch>& stretches_;
  Rewritten& out_;
  struct Kernel {
    std::string name;
    std::size_t end;  // the brace that ends it
    bool is_template;
  };
  std::vector<Token> tokens_;
  std::vector<Kernel> kernels_;  // with their bodies
  std::vector<Edit> edits_;
};

}  // namespace

Rewritten rewrite(const std::string& preprocessed, const std::vector<std::string>& ours) {
  Rewritten result;
  const std::vector<Stretch> stretches = users_lines(preprocessed, ours);
  Rewriter(preprocessed, stretches, result).work();
  return result;
}

}  // namespace cairn::lab::program
