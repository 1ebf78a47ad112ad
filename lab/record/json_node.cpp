#include "lab/record/json_node.hpp"

#include <algorithm>

namespace cairn::lab::record {

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "…";
}

Json parse_json(const std::string& text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const std::string before = text.substr(0, at);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw Error(kFailed, fmt::format("{} is not JSON: line {}, column {}", where,
                                     1 + std::count(before.begin(), before.end(), '\n'), at - line_start + 1));
  } catch (const Json::exception&) {
    throw Error(kFailed, where + " is not JSON: it has a number that is too large");
  }
}

int read_schema(const Node& node) {
  const int schema = node["schema"].integer<int>(1);
  if (schema > kSchema) {
    node["schema"].wrong(fmt::format("{} is newer than this cairn reads ({}); use a newer cairn", schema, kSchema));
  }
  return schema;
}

}  // namespace cairn::lab::record
