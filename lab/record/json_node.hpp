// A value in a record's file, read with its path, so that every error names the place: "timing.json: rows[3].id is …".
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::record {

using Json = nlohmann::json;
using Keys = std::vector<std::string_view>;

// Throws Error with the line and column of what is not JSON.
Json parse_json(const std::string& text, const std::string& where);

// A value as an error shows it: escaped, and cut where it would make a long line.
std::string shown(const Json& value);

// One value of the file and its path, which every error names.
class Node {
 public:
  Node(const Json& value, std::string path, const std::string& where)
      : value_(value), path_(std::move(path)), where_(where) {}

  [[noreturn]] void wrong(const std::string& what) const {
    throw Error(kFailed, fmt::format("{}: {} {}", where_, path_.empty() ? "the record" : path_, what));
  }
  [[noreturn]] void must_be(const std::string& what) const {
    wrong(fmt::format("is {}; it must be {}", shown(value_), what));
  }

  bool has(const char* key) const { return value_.contains(key); }
  Node operator[](const char* key) const {
    Node child(has(key) ? value_[key] : value_, path_.empty() ? key : path_ + "." + key, where_);
    if (!has(key)) child.wrong("is missing");
    return child;
  }
  // The same place of the file with another value.
  Node with(const Json& value) const { return {value, path_, where_}; }
  // Calls each(child) for every element of a list.
  template <class Each> void for_each(Each&& each) const {
    if (!value_.is_array()) must_be("a list");
    for (std::size_t i = 0; i < value_.size(); ++i) {
      each(Node(value_[i], fmt::format("{}[{}]", path_, i), where_));
    }
  }
  // An object with none but these: a misspelt key would be a value that is silently not there.
  void expect_object(const Keys& known) const {
    if (!value_.is_object()) must_be("an object");
    for (const auto& [key, member] : value_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      wrong(fmt::format("has a key {} that no record of schema {} has", shown(key), kSchema));
    }
  }

  void expect_one_of(std::span<const std::string_view> words) const {
    if (std::find(words.begin(), words.end(), text()) == words.end()) {
      must_be(fmt::format("one of {}", fmt::join(words, ", ")));
    }
  }

  std::string text() const {
    if (!value_.is_string()) must_be("a text");
    return value_.get<std::string>();
  }
  std::string filled_text() const {
    if (!value_.is_string() || value_.get_ref<const std::string&>().empty()) must_be("a text that is not empty");
    return value_.get<std::string>();
  }
  bool flag() const {
    if (!value_.is_boolean()) must_be("true or false");
    return value_.get<bool>();
  }
  double number() const {
    if (!value_.is_number()) must_be("a number");
    return value_.get<double>();
  }
  double number_from_0() const {
    if (!value_.is_number() || value_.get<double>() < 0) must_be("a number, 0 or more");
    return value_.get<double>();
  }
  // The limits keep speeds and ratios computed from the number finite; a time is in milliseconds.
  double positive(double low = 1e-9, double high = 1e12) const {
    if (!value_.is_number() || !(value_.get<double>() >= low) || value_.get<double>() > high) {
      must_be(value_.is_number() && value_.get<double>() > high ? fmt::format("at most {:g}", high)
                                                                : "a positive number");
    }
    return value_.get<double>();
  }
  double ratio() const { return positive(1e-30, 1e30); }
  template <class Int> Int integer(Int low = std::numeric_limits<Int>::min()) const {
    if (value_.is_number_unsigned()) {
      const auto value = value_.get<std::uint64_t>();
      if (std::in_range<Int>(value) && std::cmp_greater_equal(value, low)) return static_cast<Int>(value);
    } else if (value_.is_number_integer()) {
      const auto value = value_.get<std::int64_t>();
      if (std::in_range<Int>(value) && std::cmp_greater_equal(value, low)) return static_cast<Int>(value);
    }
    must_be(low == std::numeric_limits<Int>::min() ? "an integer" : fmt::format("an integer, {} or more", low));
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> list;
    for_each([&](const Node& each) { list.push_back(each.text()); });
    return list;
  }

  const Json& value() const { return value_; }

 private:
  const Json& value_;
  std::string path_;
  const std::string& where_;
};

// The record's number; throws for one that is newer than this cairn.
int read_schema(const Node& record);

}  // namespace cairn::lab::record
