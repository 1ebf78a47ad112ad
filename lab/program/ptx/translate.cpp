#include "lab/program/ptx/translate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/program/ptx/emit.hpp"

namespace cairn::lab::program {
namespace {

// A constraint's type: the width of the register that holds the operand.
std::string_view register_type(const std::string& constraint) {
  if (constraint == "h") return "std::uint16_t";
  if (constraint == "r" || constraint == "n") return "std::uint32_t";
  if (constraint == "l") return "std::uint64_t";
  if (constraint == "f") return "float";
  if (constraint == "d") return "double";
  return "";
}

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string refused(std::string_view text, const Spot& spot) {
  return fmt::format("::cairn::emu::program::refuse_ptx(\"{}\", \"{}\", {});", quoted(text), quoted(spot.file),
                     spot.line);
}

std::string emitted(const PtxLine& line, PtxNames& names) {
  Emit emit(line, names);
  const std::string first = emit.next();
  if (first == "bra") {
    emit.drop({"uni"});
    emit.done();
    emit.expect(1);
    return fmt::format("goto {};", label_name(emit.operand(0).text));
  }
  for (const auto find : {&scalar_emitter, &memory_emitter, &warp_emitter, &sm90_emitter}) {
    if (const Emitter write = find(first)) {
      std::string text = write(emit);
      emit.done();
      return text;
    }
  }
  throw NotEmulated{};
}

// .reg .b32 a, b<3>;
std::string declared(const PtxLine& line, PtxNames& names) {
  const std::string type = line.words.empty() ? "" : cpp_type(line.words.back());
  if (type.empty()) throw NotEmulated{};
  // Halves and pairs of them are held as bits.
  const std::string held = type == "cairn_ptx::f16" || type == "cairn_ptx::bf16"       ? "std::uint16_t"
                           : type == "cairn_ptx::f16x2" || type == "cairn_ptx::bf16x2" ? "std::uint32_t"
                                                                                       : type;
  std::string text;
  for (const PtxOperand& operand : line.operands) {
    names.registers.insert(operand.text);
    text += fmt::format("{} {};", held, register_name(operand.text));
  }
  return text;
}

// %r<4> stands for %r0, %r1, %r2 and %r3.
void expand_ranges(std::vector<PtxLine>& lines) {
  for (PtxLine& line : lines) {
    if (line.kind != PtxLine::Kind::registers) continue;
    std::vector<PtxOperand> all;
    for (const PtxOperand& operand : line.operands) {
      const std::size_t open = operand.text.find('<');
      if (open == std::string::npos) {
        all.push_back(operand);
        continue;
      }
      for (int i = 0, count = std::stoi(operand.text.substr(open + 1)); i < count; ++i)
        all.push_back({PtxOperand::Kind::name, operand.text.substr(0, open) + std::to_string(i), false, {}});
    }
    line.operands = std::move(all);
  }
}

std::string body(std::vector<PtxLine>& lines, PtxNames& names, const Spot& spot) {
  expand_ranges(lines);
  std::string labels, text;
  for (const PtxLine& line : lines) {
    if (line.kind == PtxLine::Kind::label) labels += fmt::format("__label__ {}; ", label_name(line.text));
  }
  for (const PtxLine& line : lines) {
    if (line.kind == PtxLine::Kind::open) {
      text += "{ ";
    } else if (line.kind == PtxLine::Kind::close) {
      text += "} ";
    } else if (line.kind == PtxLine::Kind::label) {
      text += fmt::format("{}: ; ", label_name(line.text));
    } else {
      try {
        if (line.kind == PtxLine::Kind::registers) {
          text += declared(line, names) + " ";
          continue;
        }
        std::string call = emitted(line, names);
        if (!line.guard.empty()) {
          if (!names.registers.contains(line.guard)) throw NotEmulated{};
          call = fmt::format("if ({}{}) {{ {} }}", line.guard_inverted ? "!" : "", register_name(line.guard), call);
        }
        text += call + " ";
      } catch (const NotEmulated&) {
        text += refused(line.text, spot) + " ";
      }
    }
  }
  return labels + text;
}

}  // namespace

std::string translate(const AsmStatement& statement, const Spot& spot) {
  if (statement.text.find_first_not_of(" \t\n;") == std::string::npos)
    return "((void)0)";  // a fence for the compiler
  auto lines = parse_ptx(statement.text);
  const bool known = std::ranges::none_of(
      statement.operands, [](const AsmOperand& operand) { return register_type(operand.constraint).empty(); });
  std::string whole = refused(statement.text, spot);
  whole.pop_back();
  if (!lines || !known) return whole;
  PtxNames names;
  names.operands = statement.operands.size();
  const std::string inside = body(*lines, names, spot);
  std::string before, after;
  for (std::size_t i = 0; i < statement.operands.size(); ++i) {
    const AsmOperand& operand = statement.operands[i];
    const std::string name = operand_name(i);
    const std::string_view type = register_type(operand.constraint);
    if (names.referenced.contains(i)) {
      before += fmt::format("auto&& {} = {}; ", name, operand.expression);
    } else if (operand.input) {
      before += fmt::format("{} {} = cairn_ptx::in<{}>({}); ", type, name, type, operand.expression);
    } else {
      before += fmt::format("{} {}; ", type, name);
    }
    if (operand.output && !names.referenced.contains(i))
      after += fmt::format("cairn_ptx::out({}, {}); ", operand.expression, name);
  }
  return fmt::format("({{ namespace cairn_ptx = ::cairn::emu::ptx; {}{{ {}}} {}}})", before, inside, after);
}

}  // namespace cairn::lab::program
