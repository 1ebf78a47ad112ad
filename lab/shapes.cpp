#include "lab/shapes.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using Sizes = std::vector<std::int64_t>;

// A slip such as 1:1000000:1 in three dimensions should be a message, not a machine out of memory.
constexpr std::size_t kMostShapes = 100'000;

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(kUsage, fmt::format("--shape '{}': {}; write 1024, 4096x1024x512 or a range 256:4096:256", text, why));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::int64_t parse_size(std::string_view digits, std::string_view whole) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range) refuse(whole, fmt::format("{} is too large", digits));
  if (error != std::errc{} || stop != end) refuse(whole, fmt::format("'{}' is not a size", digits));
  if (value < 0) refuse(whole, "a size cannot be negative");
  return value;
}

Sizes parse_dimension(std::string_view text, std::string_view whole) {
  const auto parts = split(text, ':');
  if (parts.size() == 1) return {parse_size(text, whole)};
  if (parts.size() != 3) refuse(whole, fmt::format("the range '{}' is not start:stop:step", text));
  const std::int64_t start = parse_size(parts[0], whole);
  const std::int64_t stop = parse_size(parts[1], whole);
  const std::int64_t step = parse_size(parts[2], whole);
  if (step == 0) refuse(whole, fmt::format("the step of '{}' is 0", text));
  if (stop < start) refuse(whole, fmt::format("the range '{}' stops before it starts", text));
  if (static_cast<std::size_t>((stop - start) / step) >= kMostShapes) {
    refuse(whole, fmt::format("the range '{}' has more than {} sizes", text, kMostShapes));
  }
  Sizes sizes;
  // Counts the steps instead of adding until past `stop`, which could overflow.
  for (std::int64_t i = 0; i <= (stop - start) / step; ++i) sizes.push_back(start + i * step);
  return sizes;
}

void append(std::string_view text, std::vector<Shape>& shapes) {
  const auto parts = split(text, 'x');
  if (parts.size() == 1) {
    for (const std::int64_t size : parse_dimension(text, text)) shapes.push_back({size, size, size});
    return;
  }
  if (parts.size() != 3) refuse(text, fmt::format("{} sizes where m, n and k are three", parts.size()));
  const Sizes ms = parse_dimension(parts[0], text);
  const Sizes ns = parse_dimension(parts[1], text);
  const Sizes ks = parse_dimension(parts[2], text);
  if (ms.size() * ns.size() > kMostShapes || ms.size() * ns.size() * ks.size() > kMostShapes) {
    refuse(text, fmt::format("more than {} shapes", kMostShapes));
  }
  for (const std::int64_t m : ms) {
    for (const std::int64_t n : ns) {
      for (const std::int64_t k : ks) shapes.push_back({m, n, k});
    }
  }
}

}  // namespace

std::vector<Shape> parse_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  for (const std::string_view part : split(text, ',')) append(part, shapes);
  return shapes;
}

}  // namespace cairn::lab
