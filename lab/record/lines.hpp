// The layout of a record's JSON: few bytes, and a diff that shows one row a line.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace cairn::lab::record {

// Each member of the object on a line; a list of lists or of objects takes one line for each element. Numbers without
// a fraction are written without one. The text ends in a newline.
std::string lines_of(const nlohmann::ordered_json& object);

}  // namespace cairn::lab::record
