// What an instruction needs to become a call: its words one by one, its operands as C++.
#pragma once

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/program/ptx/instruction.hpp"

namespace cairn::lab::program {

// The instruction, or a form of it, is not emulated.
struct NotEmulated {};

// The names that a statement's text may use.
struct PtxNames {
  std::size_t operands = 0;          // %0 to %operands-1
  std::set<std::string> registers;   // declared by .reg
  std::set<std::size_t> referenced;  // operands that an instruction needs where they are: it writes them later
};

class Emit {
 public:
  Emit(const PtxLine& line, PtxNames& names) : line_(line), names_(names), words_(line.words) {}

  // Words, from the front: the one that must come next; one of several that may; or any, wherever they stand, that
  // make no difference here.
  std::string next();
  bool take(std::string_view word);
  std::string take_one(std::initializer_list<std::string_view> words, std::string_view otherwise);
  void drop(std::initializer_list<std::string_view> words);
  void drop_scope() { drop({"cta", "cluster", "gpu", "sys"}); }
  std::string type();  // the last word, as a type of C++
  void done() const;   // throws if words are left

  std::size_t count() const { return line_.operands.size(); }
  void expect(std::size_t least, std::size_t most) const;
  void expect(std::size_t exactly) const { expect(exactly, exactly); }
  const PtxOperand& operand(std::size_t i) const;

  // as<type>(operand)
  std::string value(std::size_t i, std::string_view type) const { return value(operand(i), type); }
  std::string value(const PtxOperand& operand, std::string_view type) const;
  // put(operand, value);
  std::string set(std::size_t i, std::string_view value) const { return set(operand(i), value); }
  std::string set(const PtxOperand& operand, std::string_view value) const;
  // The parts of {a, b}, or the operand alone.
  std::vector<PtxOperand> parts(std::size_t i) const;
  // An array of their values, for a call: words<n>({a, b}).
  std::string values(std::size_t i, std::string_view type) const;
  // The address in brackets as a number, and as a pointer: what is shared is an offset in the shared window.
  std::string raw_address(std::size_t i) const;
  std::string address(std::size_t i, bool shared) const;
  // The operands' own variables, for an instruction that completes later: places({&a, &b}).
  std::string places(std::size_t i, std::string_view type);

 private:
  std::string variable(const PtxOperand& operand) const;

  const PtxLine& line_;
  PtxNames& names_;
  std::vector<std::string> words_;
};

// The names in C++ of operand %i and of a register or label.
std::string operand_name(std::size_t i);
std::string register_name(std::string_view name);
std::string label_name(std::string_view name);

// "u32" as std::uint32_t; empty if there is none.
std::string cpp_type(std::string_view type);

// What begins with this word; null if nothing is emulated.
using Emitter = std::string (*)(Emit&);
struct NamedEmitter {
  std::string_view word;
  Emitter emit;
};
Emitter find_emitter(std::span<const NamedEmitter> all, std::string_view word);
Emitter scalar_emitter(std::string_view word);
Emitter memory_emitter(std::string_view word);
Emitter warp_emitter(std::string_view word);
Emitter sm90_emitter(std::string_view word);

}  // namespace cairn::lab::program
