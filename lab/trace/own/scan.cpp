#include "lab/trace/own/scan.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "lab/source/lexer.hpp"

namespace cairn::lab::trace {
namespace {

using program::Stretch;

// Why this word cannot be emulated; null if it can. Headers are refused by files of their names in
// emu/shadow/refused.
const char* refusal(std::string_view word) {
  if (word == "asm" || word == "__asm__" || word == "__asm") return "inline asm";
  if (word == "__cluster_dims__" || word == "cudaLaunchAttributeClusterDimension") return "thread block clusters";
  if (word == "cudaTextureObject_t") return "textures";
  if (word == "cudaSurfaceObject_t") return "surfaces";
  for (const std::string_view shape : {"1D", "2D", "3D", "Cubemap"}) {
    const auto begins = [&](const std::string_view kind) {
      return word.starts_with(kind) && word.substr(kind.size()).starts_with(shape);
    };
    if (begins("tex")) return "textures";
    if (begins("surf")) return "surfaces";
  }
  if (word == "__managed__") return "managed variables";
  if (word == "__nv_cvt_float_to_fp8" || word == "__nv_fp8_e4m3" || word == "__nv_fp8_e5m2") return "8-bit floats";
  return nullptr;
}

// Words that stand between __global__ and the kernel's name, and take something in parentheses.
bool is_attribute(std::string_view word) {
  return word == "__launch_bounds__" || word == "__maxnreg__" || word == "__block_size__" ||
         word == "__attribute__" || word == "__cluster_dims__" || word == "alignas" || word == "__align__" ||
         word == "requires" || word == "noexcept" || word == "decltype";
}

class Reader {
 public:
  Reader(const std::string& text, std::vector<Stretch> stretches, Scanned& out)
      : text_(text), stretches_(std::move(stretches)), out_(out) {
    out_.text = text;
    for (const Stretch& stretch : stretches_) {
      Lexer lexer(text_.substr(stretch.begin, stretch.end - stretch.begin));
      for (Token token = lexer.next(); !token.text.empty(); token = lexer.next()) {
        if (token.kind == TokenKind::comment || token.kind == TokenKind::literal) continue;
        token.at += stretch.begin;
        tokens_.push_back(token);
      }
    }
  }

  void read() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (token.directive) {
        directive();
      } else if (token.text == "{" || token.text == "}") {
        brace(token.text == "{");
      } else if (token.text == ";" && depth_ == 0) {
        pending_ = false;
      } else if (token.text == "<<<") {
        launch();
      } else if (token.kind == TokenKind::word) {
        word(token);
      }
    }
  }

 private:
  std::string_view peek(std::size_t ahead) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
  }
  Spot spot(std::size_t at, std::string what) const {
    return program::spot_of(text_, stretches_, at, std::move(what));
  }
  void refuse(std::size_t at, std::string what) { out_.refused.push_back(spot(at, std::move(what))); }

  // Spaces instead of what stands in [from, to), so that lines stay.
  void blank(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (out_.text[i] != '\n') out_.text[i] = ' ';
    }
  }

  // Past the parentheses or braces that open at token `i`.
  std::size_t past(std::size_t i, std::string_view open, std::string_view close) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].text == open) ++depth;
      if (tokens_[i].text == close && --depth == 0) return i + 1;
    }
    return i;
  }

  // A macro that holds something refused is refused where it is used, and not where it is defined.
  void directive() {
    const std::size_t begin = at_;
    while (at_ + 1 < tokens_.size() && tokens_[at_ + 1].directive && !tokens_[at_ + 1].begins_line) ++at_;
    if (begin + 2 > at_ || tokens_[begin + 1].text != "define") return;
    const std::string name(tokens_[begin + 2].text);
    macros_.erase(name);
    for (std::size_t i = begin + 3; i <= at_; ++i) {
      if (const char* why = refusal(tokens_[i].text)) macros_[name] = why;
    }
  }

  void brace(bool opens) {
    if (opens) {
      if (pending_ && device_ == 0) device_ = depth_ + 1;
      pending_ = false;
      ++depth_;
    } else {
      if (device_ == depth_) device_ = 0;
      depth_ = std::max(0, depth_ - 1);
    }
  }

  void launch() {
    const std::size_t from = tokens_[at_].at;
    if (device_ != 0) refuse(from, "a launch from a kernel (dynamic parallelism)");
    while (at_ < tokens_.size() && tokens_[at_].text != ">>>") ++at_;
    if (at_ < tokens_.size()) blank(from, tokens_[at_].at + 3);
  }

  void word(const Token& token) {
    if (const char* why = refusal(token.text)) refuse(token.at, std::string(token.text) + " (" + why + ")");
    if (const auto macro = macros_.find(token.text); macro != macros_.end()) {
      refuse(token.at, std::string(token.text) + " (a macro that uses " + macro->second + ")");
    }
    if (token.text == "__global__") kernel();
    if (token.text == "__global__" || token.text == "__device__") pending_ = true;
    if (token.text == "__device__" || token.text == "__constant__") variable(token);
    if (token.text == "main" && depth_ == 0 && peek(1) == "(") leave_out_main();
  }

  void kernel() {
    for (std::size_t i = at_ + 1; i + 1 < tokens_.size();) {
      const std::string_view text = tokens_[i].text;
      if (text == ";" || text == "{") return;
      if (tokens_[i + 1].text == "(" && tokens_[i].kind == TokenKind::word) {
        if (!is_attribute(text)) {
          const std::string name(text);
          if (std::ranges::find(out_.kernels, name) == out_.kernels.end()) out_.kernels.push_back(name);
          return;
        }
        i = past(i + 1, "(", ")");
      } else {
        ++i;
      }
    }
  }

  // A function has its parameters first, a variable its size, its value or its end.
  void variable(const Token& token) {
    std::string_view name;
    for (std::size_t i = at_ + 1; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (is_attribute(text) && i + 1 < tokens_.size() && tokens_[i + 1].text == "(") {
        i = past(i + 1, "(", ")") - 1;
        continue;
      }
      if (text == "(" || text == "{" || text == ")" || text == ",") return;
      if (text == ";" || text == "=" || text == "[") break;
      if (tokens_[i].kind == TokenKind::word) name = text;
    }
    if (!name.empty()) out_.variables.push_back(spot(token.at, std::string(name)));
  }

  void leave_out_main() {
    const std::size_t body = past(at_ + 1, "(", ")");
    if (body >= tokens_.size() || tokens_[body].text != "{") return;
    const std::size_t end = past(body, "{", "}");
    if (end <= body + 1 || tokens_[end - 1].text != "}") return;
    blank(tokens_[body].at + 1, tokens_[end - 1].at);
    at_ = end - 1;
  }

  std::string_view text_;
  std::vector<Stretch> stretches_;
  Scanned& out_;
  std::map<std::string, std::string, std::less<>> macros_;  // that hold something refused, and what
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0, device_ = 0;  // device_: the depth of braces at which the body of a kernel began
  bool pending_ = false;        // __global__ or __device__ was seen, and no body yet
};

}  // namespace

Scanned scan(const std::string& preprocessed, const std::vector<std::string>& ours) {
  Scanned result;
  Reader(preprocessed, program::users_lines(preprocessed, ours), result).read();
  return result;
}

}  // namespace cairn::lab::trace
