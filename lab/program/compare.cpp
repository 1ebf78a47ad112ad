#include "lab/program/compare.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::program {
namespace {

using emu::program::Comparison;
using emu::program::Difference;
using emu::program::Element;
using emu::program::Pair;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Element parse_type(const std::string& text) {
  if (text == "bytes") return Element::u8;
  std::string all = "bytes";
  for (int i = 1; i < emu::program::kElements; ++i) {  // the first is `any`
    const auto element = static_cast<Element>(i);
    if (text == name(element)) return element;
    all += fmt::format(", {}", name(element));
  }
  throw Error(kUsage, fmt::format("--compare-type '{}': types are {}", text, all));
}

// A kernel that was launched.
void expect_one(const std::string& asked, const std::vector<std::string>& found,
                const std::vector<std::string>& launched) {
  if (found.size() == 1) return;
  if (found.empty()) {
    throw Error(kUsage, fmt::format("--compare: the program launched no kernel '{}'; it launched {}", asked,
                                    launched.empty() ? "none" : fmt::format("{}", fmt::join(launched, ", "))));
  }
  throw Error(kUsage,
              fmt::format("--compare: '{}' could be {}; write more of the name", asked, fmt::join(found, " or ")));
}

}  // namespace

Compare parse_compare(const std::string& kernels, const std::string& type) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char letter : kernels) {
    if (letter == '<' || letter == '(') ++depth;
    if (letter == '>' || letter == ')') --depth;
    if (letter == ',' && depth == 0) {
      names.emplace_back();
    } else {
      names.back() += letter;
    }
  }
  for (std::string& name : names) name = trimmed(name);
  if (names.size() != 2 || names[0].empty() || names[1].empty())
    throw Error(kUsage, fmt::format("--compare '{}': two kernels, as in --compare reference,mine", kernels));
  Compare asked{names[0], names[1]};
  if (!type.empty()) asked.type = parse_type(type);
  return asked;
}

double default_tolerance(Element type) {
  constexpr double kSum = 0x1p-24 * 0x1p10;  // of f32: its rounding, and the square root of 2^20 products
  switch (type) {
    case Element::f64: return 0x1p-53 * 0x1p10;
    case Element::f32: return kSum;
    case Element::f16: return 0x1p-10 + kSum;
    case Element::bf16: return 0x1p-7 + kSum;
    default: return 0;
  }
}

double relative(const Difference& found) {
  if (found.error == 0) return 0;
  return found.largest == 0 ? std::numeric_limits<double>::infinity() : found.error / found.largest;
}

// 64-bit integers that are not equal may be equal as doubles, so that bits decide where nothing may differ.
bool Judged::agree(const Difference& found) const {
  if (found.left > 0) return false;
  return tolerance == 0 && !is_real(seen.type) ? found.differing == 0 : relative(found) <= tolerance;
}

bool Judged::agree(const Pair& pair) const {
  const auto agrees = [&](const Difference& found) { return agree(found); };
  return pair.failure.empty() && !pair.buffers.empty() && std::ranges::all_of(pair.buffers, agrees);
}

bool Judged::agree() const {
  return std::ranges::all_of(seen.pairs, [&](const Pair& pair) { return agree(pair); });
}

Judged judge(const Compare& asked, const Comparison& seen, std::optional<double> tolerance,
             const std::vector<std::string>& launched) {
  expect_one(asked.first, seen.first, launched);
  expect_one(asked.second, seen.second, launched);
  if (seen.pairs.empty()) {
    throw Error(kUsage, fmt::format("--compare: {} was not launched after a launch of {} that succeeded; write first "
                                    "the one that the program launches first",
                                    seen.second[0], seen.first[0]));
  }
  return {seen, tolerance.value_or(default_tolerance(seen.type))};
}

}  // namespace cairn::lab::program
