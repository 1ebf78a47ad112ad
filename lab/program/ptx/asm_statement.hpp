// asm volatile("text" : outputs : inputs : clobbers), as the tokens of a source.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/source/lexer.hpp"

namespace cairn::lab::program {

struct AsmOperand {
  std::string constraint;  // "r", without = and +
  bool output = false, input = false;
  std::string expression;
};

struct AsmStatement {
  std::string text;  // the literals joined, without escapes
  std::vector<AsmOperand> operands;
};

// `tokens` are what stands between the parentheses, of `source`. Nothing if it is no such statement.
std::optional<AsmStatement> parse_asm(std::span<const Token> tokens, std::string_view source);

}  // namespace cairn::lab::program
