#include "lab/program/index_names.hpp"

#include <algorithm>
#include <array>

namespace cairn::lab::program {
namespace {

constexpr std::array<std::string_view, 4> kCalls = {"cairn_thread_idx", "cairn_block_idx", "cairn_block_dim",
                                                    "cairn_grid_dim"};

// After these words stands a value, and no name that is declared.
constexpr std::string_view kBeforeValues[] = {"return", "else",   "case", "throw", "co_return", "co_yield", "sizeof",
                                              "and",    "or",     "not",  "do",    "new",       "delete",   "goto",
                                              "in",     "typeof", "xor",  "if",    "while",     "for"};

class Scopes {
 public:
  explicit Scopes(std::span<const Token> tokens) : tokens_(tokens) {}

  std::vector<Renamed> walk() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (text == "(") ++rounds_;
      if (text == ")") --rounds_;
      if (text == "{") enter();
      if (text == "}") leave();
      if (text == ";" && rounds_ == 0) forget_parameters();
      if (is_call(i)) name(i);
    }
    return std::move(renamed_);
  }

 private:
  struct Local {
    std::string_view call;
    int depth;       // of the braces that it lives in
    bool parameter;  // those braces are still to come
  };

  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
  bool is_call(std::size_t i) const {
    return tokens_[i].kind == TokenKind::word && std::ranges::find(kCalls, tokens_[i].text) != kCalls.end() &&
           is(i + 1, "(") && is(i + 2, ")");
  }

  // dim3 gridDim(8), dim3 gridDim = …, dim3 gridDim; and the second of dim3 a(1), gridDim(8).
  bool declares(std::size_t i) const {
    if (i == 0) return false;
    const Token& before = tokens_[i - 1];
    if (before.kind == TokenKind::word)
      return std::ranges::find(kBeforeValues, before.text) == std::ranges::end(kBeforeValues);
    return before.text == "," && (is(i + 3, "(") || is(i + 3, "{"));
  }

  void name(std::size_t i) {
    const std::string_view call = tokens_[i].text;
    if (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::")) return;
    if (declares(i)) {
      const bool parameter = rounds_ > 0;
      locals_.push_back({call, depth_ + (parameter ? 1 : 0), parameter});
    }
    if (std::ranges::find(locals_, call, &Local::call) == locals_.end()) return;
    renamed_.push_back({tokens_[i].at, tokens_[i + 2].at + 1, std::string(call) + "_local"});
  }

  void enter() {
    ++depth_;
    outer_rounds_.push_back(rounds_);
    rounds_ = 0;
    for (Local& local : locals_)
      if (local.depth == depth_) local.parameter = false;
  }
  void leave() {
    std::erase_if(locals_, [&](const Local& local) { return local.depth >= depth_ && depth_ > 0; });
    --depth_;
    if (outer_rounds_.empty()) return;
    rounds_ = outer_rounds_.back();
    outer_rounds_.pop_back();
  }
  void forget_parameters() {
    std::erase_if(locals_, [](const Local& local) { return local.parameter; });
  }

  std::span<const Token> tokens_;
  std::vector<Local> locals_;
  std::vector<Renamed> renamed_;
  std::vector<int> outer_rounds_;  // open parentheses around each brace
  int depth_ = 0, rounds_ = 0;
};

}  // namespace

std::vector<Renamed> renamed_indices(std::span<const Token> tokens) { return Scopes(tokens).walk(); }

}  // namespace cairn::lab::program
