#include "lab/record/lab_record.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/record/json_node.hpp"
#include "lab/record/lines.hpp"

namespace cairn::lab::record {
namespace {

Cell cell(const Node& node) {
  const Json& value = node.value();
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return node.integer<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (!value.is_array()) node.must_be("a text, a number, true, false or a list of numbers");
  std::vector<double> list;
  node.for_each([&](const Node& each) { list.push_back(each.number()); });
  return list;
}

LabRow read_row(const Node& node, const std::string& place) {
  if (!node.value().is_object()) node.must_be("an object");
  std::map<std::string, Cell> cells;
  for (const auto& [key, value] : node.value().items()) cells[key] = cell(node[key.c_str()]);
  return {place, std::move(cells)};
}

Build read_build(const Node& node) {
  node.expect_object({"version", "commit", "compiler"});
  Build build;
  build.version = node["version"].text();
  build.commit = node["commit"].text();
  build.compiler = node["compiler"].text();
  return build;
}

// As the file has them, and each once: a row may lack some.
std::vector<std::string> keys_in_order(const std::string& text) {
  std::vector<std::string> keys;
  const auto record = nlohmann::ordered_json::parse(text);  // a loop over a part of it would outlive a temporary
  for (const auto& row : record.at("rows")) {
    for (const auto& [key, value] : row.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

void LabRow::wrong(const std::string& key, const std::string& what) const {
  throw Error(kFailed, fmt::format("{}.{} {}", place_, key, what));
}

template <class T> const T& LabRow::get(const std::string& key, const char* kind) const {
  const auto found = cells_.find(key);
  if (found == cells_.end()) wrong(key, "is missing");
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) wrong(key, fmt::format("must be {}", kind));
  return *value;
}

std::string LabRow::text(const std::string& key) const { return get<std::string>(key, "a text"); }

std::optional<double> LabRow::number_if(const std::string& key) const {
  const auto found = cells_.find(key);
  if (found == cells_.end()) return {};
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&found->second)) return *real;
  return {};
}

double LabRow::number(const std::string& key) const {
  const auto value = number_if(key);
  if (!value) wrong(key, "must be a number");
  return *value;
}

std::int64_t LabRow::integer(const std::string& key) const {
  const auto value = get<std::int64_t>(key, "an integer");
  if (value < 1) wrong(key, fmt::format("is {}; it must be 1 or more", value));
  return value;
}

std::vector<double> LabRow::times(const std::string& key) const {
  const auto& list = get<std::vector<double>>(key, "a list of times");
  for (const double time : list) {
    if (!(time >= 1e-9) || time > 1e12) wrong(key, fmt::format("has {}, which is no time", time));
  }
  return list;
}

Problem LabRow::problem(const std::string& key) const {
  Problem problem;
  if (const Status s = parse(text(key), problem); !s.ok()) wrong(key, fmt::format("is no problem: {}", s.message()));
  return problem;
}

bool is_lab(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("kind") && json["kind"] == "lab";
}

LabRecord lab_from_json(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  const Node node(json, "", where);
  (void)read_schema(node);
  node.expect_object(
      {"schema", "kind", "experiment", "command", "created", "build", "machine", "conclusions", "notes", "rows"});
  LabRecord record;
  record.experiment = node["experiment"].text();
  record.command = node["command"].text();
  record.created = node["created"].text();
  record.build = read_build(node["build"]);
  if (node.has("machine")) record.machine = node["machine"].text();
  record.conclusions = node["conclusions"].texts();
  if (node.has("notes")) record.notes = node["notes"].texts();
  node["rows"].for_each([&](const Node& row) {
    record.rows.push_back(read_row(row, fmt::format("{}: rows[{}]", where, record.rows.size())));
  });
  record.keys = keys_in_order(text);
  return record;
}

std::string to_json(const LabRecord& record, const Table& table) {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["kind"] = "lab";
  json["experiment"] = record.experiment;
  json["command"] = record.command;
  json["created"] = record.created;
  json["build"] = {
      {"version", record.build.version}, {"commit", record.build.commit}, {"compiler", record.build.compiler}};
  if (!record.machine.empty()) json["machine"] = record.machine;
  json["conclusions"] = record.conclusions;
  if (!record.notes.empty()) json["notes"] = record.notes;
  json["rows"] = nlohmann::ordered_json::parse(render(table, Format::json));
  return lines_of(json);
}

}  // namespace cairn::lab::record
