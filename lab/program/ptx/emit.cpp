#include "lab/program/ptx/emit.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cairn::lab::program {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr Names kTypes[] = {{"u8", "std::uint8_t"},
                            {"s8", "std::int8_t"},
                            {"b8", "std::uint8_t"},
                            {"u16", "std::uint16_t"},
                            {"s16", "std::int16_t"},
                            {"b16", "std::uint16_t"},
                            {"u32", "std::uint32_t"},
                            {"s32", "std::int32_t"},
                            {"b32", "std::uint32_t"},
                            {"u64", "std::uint64_t"},
                            {"s64", "std::int64_t"},
                            {"b64", "std::uint64_t"},
                            {"f32", "float"},
                            {"f64", "double"},
                            {"f16", "cairn_ptx::f16"},
                            {"bf16", "cairn_ptx::bf16"},
                            {"f16x2", "cairn_ptx::f16x2"},
                            {"bf16x2", "cairn_ptx::bf16x2"},
                            {"tf32", "std::uint32_t"},
                            {"pred", "bool"},
                            {"e4m3x2", "std::uint16_t"}};

// Of %tid, %ntid, %ctaid and %nctaid there are three, .x .y .z.
constexpr Names kVectors[] = {{"%tid", "thread()"},
                              {"%ntid", "threads()"},
                              {"%ctaid", "block()"},
                              {"%nctaid", "blocks()"},
                              {"%clusterid", "cluster()"},
                              {"%nclusterid", "clusters()"},
                              {"%cluster_ctaid", "place_in_cluster()"}};
constexpr Names kSpecial[] = {{"%laneid", "lane()"},
                              {"%warpid", "warp()"},
                              {"%nwarpid", "warps()"},
                              {"%smid", "multiprocessor()"},
                              {"%nsmid", "multiprocessors()"},
                              {"%lanemask_eq", "lanes_equal()"},
                              {"%lanemask_lt", "lanes_below()"},
                              {"%lanemask_le", "lanes_up_to()"},
                              {"%lanemask_gt", "lanes_above()"},
                              {"%lanemask_ge", "lanes_from()"},
                              {"%clock", "ticks()"},
                              {"%clock64", "ticks()"},
                              {"%globaltimer", "ticks()"},
                              {"%globaltimer_lo", "ticks()"},
                              {"%cluster_ctarank", "rank_in_cluster()"},
                              {"%cluster_nctarank", "blocks_in_cluster()"}};

std::string_view find(std::span<const Names> names, std::string_view name) {
  for (const auto& [ptx, cpp] : names)
    if (ptx == name) return cpp;
  return "";
}

// A special register as C++; empty if it is none.
std::string special(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view vector = find(kVectors, name.substr(0, dot));
  if (dot != std::string_view::npos && !vector.empty())
    return fmt::format("cairn_ptx::{}{}", vector, name.substr(dot));
  const std::string_view found = find(kSpecial, name);
  return found.empty() ? "" : fmt::format("cairn_ptx::{}", found);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string sanitized(std::string_view prefix, std::string_view name) {
  std::string out(prefix);
  for (const char c : name) out += c == '%' ? std::string("p_") : c == '$' ? std::string("d_") : std::string(1, c);
  return out;
}

// 4, -1, 0x1fU; 0f3F800000 and 0d… are the bits of a number.
std::string number(std::string_view text, std::string_view type) {
  const auto hex = [&](std::string_view wide) {
    return fmt::format("cairn_ptx::as<{}>({}{{0x{}}})", type, wide, text.substr(2));
  };
  if (text.starts_with("0f") || text.starts_with("0F")) return hex("std::uint32_t");
  if (text.starts_with("0d") || text.starts_with("0D")) return hex("std::uint64_t");
  std::string digits(text);
  std::erase(digits, ' ');
  return fmt::format("cairn_ptx::constant<{}>({})", type, digits);
}

}  // namespace

std::string operand_name(std::size_t i) { return fmt::format("cairn_v{}", i); }
std::string register_name(std::string_view name) { return sanitized("cairn_r_", name); }
std::string label_name(std::string_view name) { return sanitized("cairn_l_", name); }
std::string cpp_type(std::string_view type) { return std::string(find(kTypes, type)); }

Emitter find_emitter(std::span<const NamedEmitter> all, std::string_view word) {
  const auto found = std::ranges::find(all, word, &NamedEmitter::word);
  return found == all.end() ? nullptr : found->emit;
}

std::string Emit::next() {
  if (words_.empty()) throw NotEmulated{};
  std::string word = words_.front();
  words_.erase(words_.begin());
  return word;
}

bool Emit::take(std::string_view word) {
  if (words_.empty() || words_.front() != word) return false;
  words_.erase(words_.begin());
  return true;
}

std::string Emit::take_one(std::initializer_list<std::string_view> words, std::string_view otherwise) {
  for (const std::string_view word : words)
    if (take(word)) return std::string(word);
  return std::string(otherwise);
}

void Emit::drop(std::initializer_list<std::string_view> words) {
  std::erase_if(words_, [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); });
}

std::string Emit::type() {
  if (words_.empty()) throw NotEmulated{};
  std::string found = cpp_type(words_.back());
  if (found.empty()) throw NotEmulated{};
  words_.pop_back();
  return found;
}

void Emit::done() const {
  if (!words_.empty()) throw NotEmulated{};
}

void Emit::expect(std::size_t least, std::size_t most) const {
  if (count() < least || count() > most) throw NotEmulated{};
}

const PtxOperand& Emit::operand(std::size_t i) const {
  if (i >= count()) throw NotEmulated{};
  return line_.operands[i];
}

std::string Emit::variable(const PtxOperand& operand) const {
  if (operand.kind != PtxOperand::Kind::name) throw NotEmulated{};
  const std::string& text = operand.text;
  if (text.size() > 1 && text[0] == '%' && is_digit(text[1])) {
    const std::size_t i = std::stoul(text.substr(1));
    if (i >= names_.operands) throw NotEmulated{};
    return operand_name(i);
  }
  if (!names_.registers.contains(text)) throw NotEmulated{};
  return register_name(text);
}

std::string Emit::value(const PtxOperand& operand, std::string_view type) const {
  if (operand.kind == PtxOperand::Kind::number) return number(operand.text, type);
  const std::string known = special(operand.text);
  const std::string from = known.empty() ? variable(operand) : known;
  std::string read = fmt::format("cairn_ptx::as<{}>({})", type, from);
  return operand.inverted ? "!" + read : read;
}

std::string Emit::set(const PtxOperand& operand, std::string_view value) const {
  if (operand.text == "_") return fmt::format("static_cast<void>({});", value);
  return fmt::format("cairn_ptx::put({}, {});", variable(operand), value);
}

std::vector<PtxOperand> Emit::parts(std::size_t i) const {
  const PtxOperand& list = operand(i);
  if (list.kind != PtxOperand::Kind::list) return {list};
  return list.parts;
}

std::string Emit::values(std::size_t i, std::string_view type) const {
  std::vector<std::string> all;
  for (const PtxOperand& part : parts(i)) all.push_back(value(part, type));
  return fmt::format("cairn_ptx::Words<{}, {}>{{{}}}", type, all.size(), fmt::join(all, ", "));
}

std::string Emit::raw_address(std::size_t i) const {
  const PtxOperand& found = operand(i);
  if (found.kind != PtxOperand::Kind::address || found.parts.empty()) throw NotEmulated{};
  std::string at = value(found.parts[0], "std::uint64_t");
  if (found.parts.size() == 1) return at;
  if (found.parts.size() != 2 || found.parts[1].kind != PtxOperand::Kind::number) throw NotEmulated{};
  return fmt::format("{} + {}", at, value(found.parts[1], "std::uint64_t"));
}

std::string Emit::address(std::size_t i, bool shared) const {
  return fmt::format("cairn_ptx::{}({})", shared ? "shared_at" : "pointer", raw_address(i));
}

std::string Emit::places(std::size_t i, std::string_view type) {
  std::vector<std::string> all;
  for (const PtxOperand& part : parts(i)) {
    all.push_back("&" + variable(part));
    if (!is_digit(part.text.back()) || part.text[0] != '%') throw NotEmulated{};
    names_.referenced.insert(std::stoul(part.text.substr(1)));
  }
  return fmt::format("cairn_ptx::places<{}>({{{}}})", type, fmt::join(all, ", "));
}

}  // namespace cairn::lab::program
