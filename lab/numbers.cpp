#include "lab/numbers.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto read = [least, most](std::string& text) -> std::string {
    const auto value = parse_whole(text);
    if (!value || *value < least || *value > most)
      return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
    text = std::to_string(*value);
    return "";
  };
  return {read, ""};
}

}  // namespace cairn::lab
