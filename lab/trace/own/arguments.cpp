#include "lab/trace/own/arguments.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::trace {
namespace {

using emu::program::Argument;
using emu::program::Element;
using emu::program::Filling;
using emu::program::Kind;

constexpr const char* kWrite =
    "write 5, 1.5, i32:5, f32:1.5, f32[1024]=random (or zero, iota, unset, a number) or null";

std::optional<Element> element_of(const std::string& name) {
  for (int i = 1; i < emu::program::kElements; ++i) {
    if (name == emu::program::name(static_cast<Element>(i))) return static_cast<Element>(i);
  }
  return {};
}

template <class T> std::optional<T> whole(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

// "4096", "64x64"
std::optional<std::uint64_t> product(const std::string& text) {
  std::uint64_t all = 1;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const auto factor = whole<std::uint64_t>(text.substr(at, end - at));
    if (!factor || *factor == 0 || *factor > (std::uint64_t{1} << 40) / all) return {};
    all *= *factor;
    at = end + 1;
  }
  return all;
}

void read_filling(const std::string& word, Argument& a) {
  if (word == "unset")
    a.filling = Filling::unset;
  else if (word == "zero")
    a.filling = Filling::zero;
  else if (word == "iota")
    a.filling = Filling::iota;
  else if (word == "random")
    a.filling = Filling::random;
  else {
    a.filling = Filling::number;
    a.digits = word;
  }
}

std::string wrong(Argument& a) {
  const std::string& text = a.text;
  if (text == "null") {
    a.kind = Kind::null;
    return "";
  }
  const std::size_t open = text.find('['), colon = text.find(':');
  if (open != std::string::npos) {
    const std::size_t close = text.find(']', open);
    const auto element = element_of(text.substr(0, open));
    if (!element)
      return fmt::format("there is no type '{}'; there are i8 … u64, f16, bf16, f32, f64", text.substr(0, open));
    if (close == std::string::npos) return "the ] is missing";
    const auto count = product(text.substr(open + 1, close - open - 1));
    if (!count) return "the count must be 1 or more, as 4096 or 64x64";
    a.kind = Kind::buffer, a.element = *element, a.count = *count;
    const std::string rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != '=') return kWrite;
    read_filling(rest.empty() ? "unset" : rest.substr(1), a);
    if (a.filling == Filling::number && !store_number(a.element, a.digits, nullptr)) {
      return fmt::format("a buffer is filled with random, zero, iota, unset or a number of its type; not '{}'",
                         a.digits);
    }
    return "";
  }
  if (colon != std::string::npos) {
    const auto element = element_of(text.substr(0, colon));
    if (!element)
      return fmt::format("there is no type '{}'; there are i8 … u64, f16, bf16, f32, f64", text.substr(0, colon));
    a.element = *element, a.digits = text.substr(colon + 1);
    return store_number(a.element, a.digits, nullptr)
               ? ""
               : fmt::format("'{}' is no number of type {}", a.digits, emu::program::name(a.element));
  }
  a.digits = text == "true" ? "1" : text == "false" ? "0" : text;
  return store_number(Element::f64, a.digits, nullptr) ? "" : kWrite;
}

std::array<unsigned, 3> parse_extents(const std::string& text, const char* flag) {
  std::array<unsigned, 3> extents = {1, 1, 1};
  std::size_t axis = 0;
  for (std::size_t at = 0; at <= text.size(); ++axis) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto value = whole<unsigned>(text.substr(at, end - at));
    if (!value || *value == 0 || axis > 2) {
      throw Error(kUsage,
                  fmt::format("{} '{}': write one to three sizes of 1 or more, as 8, 8,4 or 8,4,2", flag, text));
    }
    extents[axis] = *value;
    at = end + 1;
  }
  return extents;
}

}  // namespace

Argument parse_argument(const std::string& text, std::size_t number) {
  Argument argument;
  argument.text = text;
  if (const std::string why = wrong(argument); !why.empty()) {
    throw Error(kUsage, fmt::format("--arg {}, '{}': {}", number, text, why));
  }
  return argument;
}

std::array<unsigned, 3> parse_grid(const std::string& text) {
  const auto grid = parse_extents(text, "--grid");
  if (grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535) {
    throw Error(kUsage, fmt::format("--grid '{}': CUDA takes at most 2147483647,65535,65535 blocks", text));
  }
  return grid;
}

std::array<unsigned, 3> parse_block(const std::string& text) {
  const auto block = parse_extents(text, "--block");
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024) {
    throw Error(kUsage, fmt::format("--block '{}': a block has at most 1024 threads, and at most 64 along z", text));
  }
  return block;
}

}  // namespace cairn::lab::trace
