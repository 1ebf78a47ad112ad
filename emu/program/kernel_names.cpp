#include "emu/program/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace cairn::emu::program {
namespace {

void drop_blanks(std::string& text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
}

// "a::tile<b<4>,2>" -> "a::tile"
std::string without_arguments(std::string name) {
  if (!name.ends_with('>')) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string without_namespaces(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

// "float const*, int" -> "float const*", "int"
std::vector<std::string> divided(const std::string& parameters) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char letter : parameters) {
    if (letter == '<' || letter == '(') ++depth;
    if (letter == '>' || letter == ')') --depth;
    if (letter == ',' && depth == 0) {
      parts.emplace_back();
    } else if (!parts.back().empty() || letter != ' ') {
      parts.back() += letter;
    }
  }
  return parts;
}

std::optional<Element> element_of(std::string type) {
  // The emulator's own types, by the names that a demangler gives them.
  static constexpr std::pair<std::string_view, Element> kTypes[] = {
      {"signed char", Element::i8},
      {"char", Element::i8},
      {"unsigned char", Element::u8},
      {"short", Element::i16},
      {"unsigned short", Element::u16},
      {"int", Element::i32},
      {"unsigned int", Element::u32},
      {"long", Element::i64},
      {"unsigned long", Element::u64},
      {"long long", Element::i64},
      {"unsigned long long", Element::u64},
      {"float", Element::f32},
      {"double", Element::f64},
      {"cairn::emu::Narrow<cairn::f16>", Element::f16},
      {"cairn::emu::NarrowPair<cairn::f16>", Element::f16},
      {"cairn::emu::Narrow<cairn::bf16>", Element::bf16},
      {"cairn::emu::NarrowPair<cairn::bf16>", Element::bf16}};
  for (const char* vector : {"float", "double", "int"}) {
    if (type.size() == std::string_view(vector).size() + 1 && type.starts_with(vector) && type.back() >= '1' &&
        type.back() <= '4')
      type.pop_back();
  }
  const auto* const found = std::ranges::find(kTypes, type, &std::pair<std::string_view, Element>::first);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<std::string> kernels_named(std::string text, const std::vector<std::string>& all) {
  drop_blanks(text);
  constexpr std::string_view kLeftOut = "<…>";  // as tables have long arguments
  if (text.ends_with(kLeftOut)) text.erase(text.size() - kLeftOut.size());
  using Fits = bool (*)(const std::string& text, const std::string& name);
  constexpr std::array<Fits, 4> kWays = {
      [](const std::string& t, const std::string& name) { return t == name; },
      [](const std::string& t, const std::string& name) { return t == without_arguments(name); },
      [](const std::string& t, const std::string& name) { return t == without_namespaces(without_arguments(name)); },
      [](const std::string& t, const std::string& name) { return name.starts_with(t); }};
  for (const Fits fits : kWays) {
    std::vector<std::string> found;
    for (const std::string& kernel : all) {
      std::string name = kernel;
      drop_blanks(name);
      if (fits(text, name)) found.push_back(kernel);
    }
    if (!found.empty()) return found;
  }
  return {};
}

std::optional<Element> written_type(const std::vector<std::string>& parameters) {
  std::optional<Element> type;
  for (const std::string& list : parameters) {
    for (std::string one : divided(list)) {
      for (const std::string_view ending : {"__restrict__", "__restrict", " const", " "})
        while (one.ends_with(ending) && one.size() > ending.size()) one.erase(one.size() - ending.size());
      if (!one.ends_with('*')) continue;
      one.pop_back();
      if (one.ends_with(" const")) continue;
      const auto found = element_of(one);
      if (!found || (type && *type != *found)) return {};
      type = found;
    }
  }
  return type;
}

}  // namespace cairn::emu::program
