// to_json: the record, and beside each row's samples what they imply.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/record/record.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 118;

std::string flat(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// {"a": 1, "b": 2} with the blanks a person would set.
std::string on_one_line(const Json& value) {
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += flat(key) + ": ";
    text += flat(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// What holds no other container is one line: always a list, such as the samples; an object if it fits.
void print(const Json& value, std::size_t indent, std::string& out) {
  if (!value.is_structured()) {
    out += flat(value);
    return;
  }
  bool nested = false;
  for (const Json& member : value) nested = nested || member.is_structured();
  if (!nested) {
    const std::string line = on_one_line(value);
    if (value.is_array() || indent + line.size() <= kWidth) {
      out += line;
      return;
    }
  }
  const std::string margin(indent + 2, ' ');
  bool first = true;
  out += value.is_object() ? "{\n" : "[\n";
  for (const auto& [key, member] : value.items()) {
    out += (first ? "" : ",\n") + margin + (value.is_object() ? flat(key) + ": " : "");
    print(member, indent + 2, out);
    first = false;
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

double to_nanosecond(double ms) { return std::round(ms * 1e6) / 1e6; }

// Six digits are more than anything here is known to; nine tell one f32 from the next.
double rounded(double value, int digits = 6) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

// The record as it will be read back, so that what is derived below follows from what the file holds.
Record as_kept(Record record) {
  record.machine.memory_rate = rounded(record.machine.memory_rate);
  Ceilings& ceilings = record.ceilings;
  for (double* ceiling : {&ceilings.fma_tflops, &ceilings.copy_gbytes}) *ceiling = rounded(*ceiling);
  for (const TensorInstruction& instruction : kTensorInstructions)
    for (auto& [type, ceiling] : ceilings.*instruction.tflops) ceiling = rounded(ceiling);
  for (Row& row : record.rows) {
    for (double& sample : row.samples_ms) sample = to_nanosecond(sample);
    for (double& value : row.first) value = rounded(value, 9);
    // JSON has no word for them, and the verdict has said it.
    if (!std::all_of(row.first.begin(), row.first.end(), [](double x) { return std::isfinite(x); })) row.first = {};
    Vitals& v = row.vitals;
    for (double* value :
         {&row.host_us, &v.sm_mhz, &v.sm_mhz_low, &v.sm_mhz_high, &v.power_w, &v.power_w_high, &v.temperature_c}) {
      *value = rounded(*value);
    }
  }
  return record;
}

void add_derived(const Line& line, Json& out) {
  const auto add = [&](const char* key, const std::optional<double>& value, double unit = 1) {
    if (value) out[key] = rounded(*value * unit);
  };
  add("median_ms", line.median_ms);
  add("min_ms", line.min_ms);
  add("spread_percent", line.spread, 100);
  add("tflops", line.tflops);
  add("gbytes", line.gbytes);
  if (line.ratio) {
    out["baseline_id"] = line.baseline->id;
    add("ratio", line.ratio->median);
    add("ratio_low", line.ratio->interval.low);
    add("ratio_high", line.ratio->interval.high);
  }
  add("percent_of_ceiling", line.of_ceiling, 100);
  add("percent_of_datasheet", line.of_datasheet, 100);
}

bool silent(const Vitals& v) {
  return v.sm_mhz == 0 && v.sm_mhz_low == 0 && v.sm_mhz_high == 0 && v.power_w == 0 && v.power_w_high == 0 &&
         v.temperature_c == 0 && v.throttled.empty();
}

Json json_of(const Row& row, const Line* line) {
  Json out = {{"id", row.id}, {"work", row.work}, {"is_baseline", row.baseline}, {"problem", row.problem}};
  if (!row.refused.empty()) {
    out["refused"] = row.refused;
    return out;
  }
  out["verified"] = row.verified;
  if (!row.details.empty()) out["details"] = row.details;
  out["via"] = row.via;
  out["runs"] = row.runs;
  out["sets"] = row.sets;
  out["host_us"] = row.host_us;
  out["settled"] = row.settled;
  if (!row.first.empty()) out["first"] = row.first;
  if (line != nullptr) add_derived(*line, out);
  if (!silent(row.vitals)) {
    const Vitals& v = row.vitals;
    out["vitals"] = {{"sm_mhz", v.sm_mhz},      {"sm_mhz_low", v.sm_mhz_low},     {"sm_mhz_high", v.sm_mhz_high},
                     {"power_w", v.power_w},    {"power_w_high", v.power_w_high}, {"temperature_c", v.temperature_c},
                     {"throttled", v.throttled}};
  }
  if (!row.counters.empty()) out["counters"] = row.counters;
  out["samples_ms"] = row.samples_ms;
  return out;
}

Json json_of(const runtime::Facts& facts) {
  return {{"kind", word(facts.kind)},
          {"device", facts.device},
          {"name", facts.name},
          {"units", facts.units},
          {"arch", facts.arch},
          {"memory_bytes", facts.memory_bytes},
          {"cache_bytes", facts.cache_bytes},
          {"shared_bytes", facts.shared_bytes},
          {"clock_mhz", facts.clock_mhz},
          {"memory_rate", facts.memory_rate},
          {"software", facts.software}};
}

Json json_of(const Ceilings& ceilings) {
  Json out = {{"fma_tflops", ceilings.fma_tflops}, {"copy_gbytes", ceilings.copy_gbytes}};
  for (const TensorInstruction& instruction : kTensorInstructions) {
    if (const auto& tflops = ceilings.*instruction.tflops; !tflops.empty()) out[instruction.key] = tflops;
  }
  return out;
}

Json json_of(const Method& method) {
  Json out = {{"cache", method.cache},
              {"seconds", method.seconds},
              {"at_least", method.at_least},
              {"precision", method.precision}};
  if (method.sustained) out["sustained"] = true;
  return out;
}

}  // namespace

std::string to_json(const Record& record) {
  const Record kept = as_kept(record);
  const auto lines = summarize(kept);
  Json rows = Json::array();
  auto line = lines.begin();  // lines are in the order of the rows, and only of those that were timed
  for (const Row& row : kept.rows) {
    const bool has_line = line != lines.end() && line->row == &row;
    rows.push_back(json_of(row, has_line ? &*line : nullptr));
    if (has_line) ++line;
  }
  const Build& build = kept.build;
  const Json out = {{"schema", kept.schema},
                    {"kind", kept.kind},
                    {"command", kept.command},
                    {"created", kept.created},
                    {"seed", kept.seed},
                    {"build",
                     {{"version", build.version},
                      {"commit", build.commit},
                      {"type", build.type},
                      {"compiler", build.compiler},
                      {"cuda", build.cuda},
                      {"openblas", build.openblas}}},
                    {"machine", json_of(kept.machine)},
                    {"method", json_of(kept.method)},
                    {"ceilings", json_of(kept.ceilings)},
                    {"notes", kept.notes},
                    {"rows", rows}};
  std::string text;
  print(out, 0, text);
  return text + "\n";
}

}  // namespace cairn::lab::record
