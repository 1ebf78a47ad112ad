// from_json and read: a record from outside, believed only key by key.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/record/record.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

using Json = nlohmann::json;
using Keys = std::vector<std::string_view>;

// Far above any record of ours; /dev/zero should be a message and not a machine out of memory.
constexpr std::size_t kMostBytes = 64u << 20;

// A value as an error shows it: escaped, and not longer than a line bears.
std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "…";
}

// One value of the file, and the way to it. Whatever it is asked for and is not, it says so with both.
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
  double positive() const {
    // The parser takes no number that is not finite; a time of 1e-300 ms would make a speed that is not.
    if (!value_.is_number() || !(value_.get<double>() >= 1e-9)) must_be("a positive number");
    return value_.get<double>();
  }
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

Build read_build(const Node& node) {
  node.expect_object({"version", "commit", "type", "compiler", "cuda", "openblas"});
  return {.version = node["version"].text(),
          .commit = node["commit"].text(),
          .type = node["type"].text(),
          .compiler = node["compiler"].text(),
          .cuda = node["cuda"].flag(),
          .openblas = node["openblas"].flag()};
}

runtime::Facts read_machine(const Node& node) {
  node.expect_object({"kind", "device", "name", "units", "arch", "memory_bytes", "cache_bytes", "shared_bytes",
                      "clock_mhz", "memory_rate", "software"});
  const auto kind = kind_named(node["kind"].text());
  if (!kind) node["kind"].must_be("cpu, gpu or emu");
  runtime::Facts facts;
  facts.kind = kind.value_or(runtime::Kind::cpu);
  facts.device = node["device"].integer<int>();
  facts.name = node["name"].text();
  facts.units = node["units"].integer<int>(0);
  facts.arch = node["arch"].integer<int>(0);
  facts.memory_bytes = node["memory_bytes"].integer<std::int64_t>(0);
  facts.cache_bytes = node["cache_bytes"].integer<std::int64_t>(0);
  facts.shared_bytes = node["shared_bytes"].integer<int>(0);
  facts.clock_mhz = node["clock_mhz"].integer<int>(0);
  facts.memory_rate = node["memory_rate"].number_from_0();
  facts.software = node["software"].text();
  return facts;
}

Method read_method(const Node& node) {
  node.expect_object({"cache", "seconds", "at_least", "precision", "sustained"});
  return {.cache = node["cache"].text(),
          .seconds = node["seconds"].number_from_0(),
          .at_least = node["at_least"].integer<int>(0),
          .precision = node["precision"].number_from_0(),
          .sustained = node.has("sustained") && node["sustained"].flag()};
}

Ceilings read_ceilings(const Node& node) {
  node.expect_object({"fma_tflops", "copy_gbytes", "mma_tflops", "wgmma_tflops"});
  Ceilings ceilings;
  ceilings.fma_tflops = node["fma_tflops"].number_from_0();
  ceilings.copy_gbytes = node["copy_gbytes"].number_from_0();
  for (const TensorInstruction& instruction : kTensorInstructions) {
    if (!node.has(instruction.key)) continue;
    const Node by_type = node[instruction.key];
    by_type.expect_object({std::begin(kTensorTypes), std::end(kTensorTypes)});
    for (const auto& [type, value] : by_type.value().items())
      (ceilings.*instruction.tflops)[type] = by_type[type.c_str()].positive();
  }
  return ceilings;
}

Vitals read_vitals(const Node& node) {
  node.expect_object(
      {"sm_mhz", "sm_mhz_low", "sm_mhz_high", "power_w", "power_w_high", "temperature_c", "throttled"});
  return {.sm_mhz = node["sm_mhz"].number_from_0(),
          .sm_mhz_low = node["sm_mhz_low"].number_from_0(),
          .sm_mhz_high = node["sm_mhz_high"].number_from_0(),
          .power_w = node["power_w"].number_from_0(),
          .power_w_high = node["power_w_high"].number_from_0(),
          .temperature_c = node["temperature_c"].number(),
          .throttled = node["throttled"].texts()};
}

std::map<std::string, double> read_counters(const Node& node) {
  if (!node.value().is_object()) node.must_be("an object");
  std::map<std::string, double> counters;
  for (const auto& [key, value] : node.value().items()) counters[key] = node[key.c_str()].number();
  return counters;
}

std::string read_problem(const Node& node) {
  Problem problem;
  if (const Status s = parse(node.text(), problem); !s.ok()) {
    node.wrong(fmt::format("is {}, which is no problem: {}", shown(node.value()), s.message()));
  }
  return node.text();
}

Keys row_keys() {
  Keys keys = {"id",   "work", "is_baseline", "problem", "refused", "verified", "details",  "via",
               "runs", "sets", "host_us",     "settled", "first",   "vitals",   "counters", "samples_ms"};
  keys.insert(keys.end(), std::begin(kDerivedKeys), std::end(kDerivedKeys));
  return keys;
}

Row read_row(const Node& node) {
  static const Keys kKeys = row_keys();
  node.expect_object(kKeys);
  Row row;
  row.id = node["id"].filled_text();
  row.work = node["work"].text();
  node["work"].expect_one_of(kWorks);
  row.baseline = node["is_baseline"].flag();
  row.problem = read_problem(node["problem"]);
  if (node.has("refused")) {
    row.refused = node["refused"].filled_text();
    return row;
  }
  row.verified = node["verified"].text();  // empty: it was not reached before a stop
  if (node.has("details")) row.details = node["details"].text();
  row.via = node["via"].text();
  row.runs = node["runs"].integer<std::int64_t>(0);
  row.sets = node["sets"].integer<std::int64_t>(0);
  row.host_us = node["host_us"].number_from_0();
  row.settled = node["settled"].flag();
  if (node.has("first")) node["first"].for_each([&](const Node& value) { row.first.push_back(value.number()); });
  if (node.has("vitals")) row.vitals = read_vitals(node["vitals"]);
  if (node.has("counters")) row.counters = read_counters(node["counters"]);
  node["samples_ms"].for_each([&](const Node& sample) { row.samples_ms.push_back(sample.positive()); });
  return row;
}

int read_schema(const Node& node) {
  const int schema = node["schema"].integer<int>(1);
  if (schema > kSchema) {
    node["schema"].wrong(fmt::format("{} is newer than this cairn reads ({}); use a newer cairn", schema, kSchema));
  }
  return schema;
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

}  // namespace

Record from_json(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object() || !json.contains("schema")) {
    throw Error(kFailed, where + " is JSON, but not a record: it has no \"schema\"; cairn bench --record writes one");
  }
  const Node node(json, "", where);
  Record record;
  record.schema = read_schema(node);
  node.expect_object(
      {"schema", "kind", "command", "created", "seed", "build", "machine", "method", "ceilings", "notes", "rows"});
  record.kind = node["kind"].text();
  node["kind"].expect_one_of(kKinds);
  record.command = node["command"].text();
  record.created = node["created"].text();
  record.seed = node["seed"].integer<std::uint64_t>(0);
  record.build = read_build(node["build"]);
  record.machine = read_machine(node["machine"]);
  record.method = read_method(node["method"]);
  record.ceilings = read_ceilings(node["ceilings"]);
  record.notes = node["notes"].texts();
  node["rows"].for_each([&](const Node& row) { record.rows.push_back(read_row(row)); });
  return record;
}

Record read(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(kUsage,
                fmt::format("{} is a directory; a record is a file, such as cairn bench --record writes", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(kUsage, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string text;
  char part[1 << 16];
  while (file.read(part, sizeof part) || file.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) {
      throw Error(kFailed, fmt::format("{} is larger than {} MB, which no record is", path, kMostBytes >> 20));
    }
  }
  if (file.bad()) throw Error(kFailed, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return from_json(text, path);
}

}  // namespace cairn::lab::record
