// from_json and read: every key of a record is checked.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/drawn.hpp"
#include "lab/exit.hpp"
#include "lab/record/json_node.hpp"
#include "lab/record/record.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

constexpr std::string_view kSampleWords[] = {"summary"};

// Far above any record of ours, so that /dev/zero ends in a message before memory runs out.
constexpr std::size_t kMostBytes = 64u << 20;

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

Drawn read_drawn(const Node& node) {
  node.expect_object({"class", "count"});
  node["class"].expect_one_of(kDrawnClasses);
  return {.of_class = node["class"].text(), .count = node["count"].integer<std::int64_t>(1)};
}

Method read_method(const Node& node) {
  node.expect_object({"cache", "seconds", "at_least", "precision", "sustained", "samples"});
  if (node.has("samples")) node["samples"].expect_one_of(kSampleWords);
  return {.cache = node["cache"].text(),
          .seconds = node["seconds"].number_from_0(),
          .at_least = node["at_least"].integer<int>(0),
          .precision = node["precision"].number_from_0(),
          .sustained = node.has("sustained") && node["sustained"].flag(),
          .summary = node.has("samples")};
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

// Of a row: the number of an entry of the record's list, or in schema 1 the vitals themselves.
Vitals vitals_of(const Node& node, const std::vector<Vitals>& all) {
  if (node.value().is_object()) return read_vitals(node);
  const auto number = node.integer<std::int64_t>(0);
  if (std::cmp_greater_equal(number, all.size()))
    node.wrong(fmt::format("is {}, and the record has {} vitals", number, all.size()));
  return all[static_cast<std::size_t>(number)];
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

// The statistics of dropped samples. Numbers that contradict each other were not computed from samples.
Summary read_summary(const Node& node) {
  Summary summary;
  summary.count = node["sample_count"].integer<std::int64_t>(1);
  summary.median_ms = node["median_ms"].positive();
  summary.low_ms = node["median_low_ms"].positive(), summary.high_ms = node["median_high_ms"].positive();
  summary.min_ms = node["min_ms"].positive();
  summary.spread = node["spread_percent"].number_from_0() / 100;
  summary.outliers = node["outliers"].integer<std::int64_t>(0);
  if (summary.low_ms > summary.median_ms) node["median_low_ms"].must_be("at most median_ms");
  if (summary.high_ms < summary.median_ms) node["median_high_ms"].must_be("at least median_ms");
  if (summary.min_ms > summary.median_ms) node["min_ms"].must_be("at most median_ms");
  if (summary.outliers > summary.count) node["outliers"].must_be("at most sample_count");
  if (!node.has("baseline_id")) return summary;
  summary.baseline_id = node["baseline_id"].filled_text();
  summary.ratio = node["ratio"].ratio();
  summary.ratio_low = node["ratio_low"].ratio(), summary.ratio_high = node["ratio_high"].ratio();
  if (summary.ratio_low > summary.ratio) node["ratio_low"].must_be("at most ratio");
  if (summary.ratio_high < summary.ratio) node["ratio_high"].must_be("at least ratio");
  return summary;
}

Row read_row(const Node& node, const std::vector<Vitals>& vitals, bool summaries) {
  static const Keys kKeys(std::begin(kRowKeys), std::end(kRowKeys));
  node.expect_object(kKeys);
  Row row;
  row.id = node["id"].filled_text();
  row.work = node["work"].text();
  node["work"].expect_one_of(kWorks);
  row.baseline = node["is_baseline"].flag();
  row.problem = read_problem(node["problem"]);
  if (node.has("alpha")) row.scalars.alpha = node["alpha"].number();
  if (node.has("beta")) row.scalars.beta = node["beta"].number();
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
  if (node.has("vitals")) row.vitals = vitals_of(node["vitals"], vitals);
  if (node.has("counters")) row.counters = read_counters(node["counters"]);
  if (!summaries) {
    node["samples_ms"].for_each([&](const Node& sample) { row.samples_ms.push_back(sample.positive()); });
    if (node.has("sample_count"))
      node["sample_count"].wrong("belongs to records whose method.samples is \"summary\"");
  } else {
    if (node.has("samples_ms")) node["samples_ms"].wrong("is there, but method.samples is \"summary\"");
    if (node.has("sample_count") || node.has("median_ms")) row.summary = read_summary(node);
  }
  return row;
}

// A row as an object: as it is, or put together from a list of values in the order of the columns.
Json row_object(const Node& row, const Json& record, const std::string& where) {
  if (!row.value().is_array()) return row.value();
  const Node columns = Node(record, "", where)["columns"];
  const std::vector<std::string> keys = columns.texts();
  if (row.value().size() > keys.size()) {
    row.wrong(fmt::format("has {} values, and there are {} columns", row.value().size(), keys.size()));
  }
  Json object = Json::object();
  for (std::size_t i = 0; i < row.value().size(); ++i) {
    if (object.contains(keys[i])) columns.wrong(fmt::format("has {} twice", shown(keys[i])));
    if (!row.value()[i].is_null()) object[keys[i]] = row.value()[i];
  }
  return object;
}

}  // namespace

Record from_json(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object() || !json.contains("schema")) {
    throw Error(kFailed, where + " is JSON, but not a record: it has no \"schema\"; cairn bench --record writes one");
  }
  const Node node(json, "", where);
  if (json.contains("kind") && json["kind"] == "lab")
    throw Error(kFailed, where + " is the record of an experiment; cairn report shows its table, and no more");
  Record record;
  record.schema = read_schema(node);
  node.expect_object({"schema", "kind", "command", "created", "seed", "drawn", "build", "machine", "method",
                      "ceilings", "notes", "vitals", "columns", "rows"});
  record.kind = node["kind"].text();
  node["kind"].expect_one_of(kKinds);
  record.command = node["command"].text();
  record.created = node["created"].text();
  record.seed = node["seed"].integer<std::uint64_t>(0);
  if (node.has("drawn")) record.drawn = read_drawn(node["drawn"]);
  record.build = read_build(node["build"]);
  record.machine = read_machine(node["machine"]);
  record.method = read_method(node["method"]);
  record.ceilings = read_ceilings(node["ceilings"]);
  record.notes = node["notes"].texts();
  std::vector<Vitals> vitals;
  if (node.has("vitals")) node["vitals"].for_each([&](const Node& one) { vitals.push_back(read_vitals(one)); });
  node["rows"].for_each([&](const Node& row) {
    const Json object = row_object(row, json, where);
    record.rows.push_back(read_row(row.with(object), vitals, record.method.summary));
  });
  return record;
}

std::string read_text(const std::string& path) {
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
  return text;
}

Record read(const std::string& path) { return from_json(read_text(path), path); }

}  // namespace cairn::lab::record
