#include "lab/record/lines.hpp"

#include <cmath>

namespace cairn::lab::record {
namespace {

using Json = nlohmann::ordered_json;

// 1980 instead of 1980.0.
Json shortened(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number == std::floor(number) && std::abs(number) < 1e15) return static_cast<std::int64_t>(number);
  }
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json& member : copy) member = shortened(member);
  return copy;
}

std::string flat(const Json& value) { return shortened(value).dump(-1, ' ', false, Json::error_handler_t::replace); }

// Elements that are structured themselves get a line each.
std::string list(const Json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_structured()) return flat(value);
  std::string text;
  for (const Json& element : value) text += (text.empty() ? "[\n" : ",\n") + flat(element);
  return text + "\n]";
}

}  // namespace

std::string lines_of(const Json& object) {
  std::string text;
  for (const auto& [key, member] : object.items())
    text += (text.empty() ? "{\n" : ",\n") + flat(key) + ": " + list(member);
  return (text.empty() ? "{" : text + "\n") + "}\n";
}

}  // namespace cairn::lab::record
