#include "lab/epilogue.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "src/dispatch/check.hpp"

namespace cairn::lab {

void set_epilogue(const std::string& text, Problem& problem) {
  Problem p = problem;
  p.bias = Bias::none, p.bias_type = Type::f32, p.activation = Activation::none, p.before = Before::none;
  bool none = false;
  std::size_t words = 0;
  for (std::size_t from = 0; from <= text.size(); ++words) {
    const std::size_t end = std::min(text.find('+', from), text.size());
    const std::string_view word = std::string_view(text).substr(from, end - from);
    from = end + 1;
    const auto refuse = [&](std::string_view why) {
      throw Error(kUsage, fmt::format("--epilogue '{}': {}", text, why));
    };
    const bool f32 = word.ends_with(":f32");
    const std::string_view plain = f32 ? word.substr(0, word.size() - 4) : word;
    Activation activation = Activation::none;
    if (plain == "bias" || plain == "row_bias") {
      if (p.bias != Bias::none) refuse("there is one bias");
      p.bias = plain == "bias" ? Bias::columns : Bias::rows;
      p.bias_type = f32 ? accumulator(p.in) : p.out;
    } else if (word == "before") {
      p.before = Before::stored;
    } else if (word == "none") {
      none = true;
    } else if (parse(word, activation).ok()) {
      if (p.activation != Activation::none) refuse("there is one activation");
      p.activation = activation;
    } else {
      refuse(fmt::format("'{}' is none of bias, row_bias, relu, gelu, gelu_tanh, silu, before and none", word));
    }
    if (none && words > 0) refuse("none stands alone");
  }
  problem = p;
}

void set_scales(const std::string& text, Problem& problem) {
  const auto refuse = [&](std::string_view why) { throw Error(kUsage, fmt::format("--scales '{}': {}", text, why)); };
  const auto read = [&](std::string_view word) {
    Scale scale = Scale::none;
    if (!parse(word, scale).ok())
      refuse(fmt::format("'{}' is none of none, tensor, vector, vector_blocks and blocks", word));
    return scale;
  };
  const std::size_t colon = text.find(':');
  const Scale a = read(std::string_view(text).substr(0, colon));
  problem.scale_b = colon == text.npos ? a : read(std::string_view(text).substr(colon + 1));
  problem.scale_a = a == Scale::blocks && colon == text.npos ? Scale::vector_blocks : a;
  if (Status s = dispatch::check(problem); !s.ok()) refuse(s.message());
}

std::vector<Problem> each_epilogue(const std::vector<std::string>& epilogues, const std::vector<std::string>& scales,
                                   const Problem& problem) {
  std::vector<Problem> all;
  for (std::size_t e = 0; e < std::max<std::size_t>(epilogues.size(), 1); ++e) {
    Problem finished = problem;
    if (!epilogues.empty()) set_epilogue(epilogues[e], finished);
    if (scales.empty()) all.push_back(finished);
    for (const std::string& text : scales) set_scales(text, all.emplace_back(finished));
  }
  return all;
}

}  // namespace cairn::lab
