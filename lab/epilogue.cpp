#include "lab/epilogue.hpp"

#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"

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

}  // namespace cairn::lab
