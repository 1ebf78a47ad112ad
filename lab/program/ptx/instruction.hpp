// The text of inline PTX as instructions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab::program {

struct PtxOperand {
  enum class Kind {
    name,     // %0, p, %laneid, _
    number,   // 4, 0x10, 0f3F800000
    address,  // [base], [base + 16], [base, {x, y}]: the base, then what follows it
    list,     // {a, b}
    pair      // d|p
  };
  Kind kind = Kind::name;
  std::string text;  // of names and numbers
  bool inverted = false;
  std::vector<PtxOperand> parts;
};

struct PtxLine {
  enum class Kind { instruction, open, close, label, registers };
  Kind kind = Kind::instruction;
  std::string text;                  // the whole line; of a label its name
  std::string guard;                 // @p: it runs if p holds
  bool guard_inverted = false;       // @!p
  std::vector<std::string> words;    // cp.async.cg: cp, async, cg; of registers the types
  std::vector<PtxOperand> operands;  // of registers the names
};

// Nothing if it cannot be read.
std::optional<std::vector<PtxLine>> parse_ptx(std::string_view text);

}  // namespace cairn::lab::program
