// A record's JSON with rows as objects, which a reader takes too and a test can change by key.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace cairn::testing {

inline nlohmann::json with_row_objects(const std::string& text) {
  nlohmann::json record = nlohmann::json::parse(text);
  for (auto& row : record["rows"]) {
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!row[i].is_null()) object[record["columns"][i].get<std::string>()] = row[i];
    row = object;
  }
  return record;
}

}  // namespace cairn::testing
