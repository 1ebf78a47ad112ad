// to_json: the record, and in each row what its samples imply.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/record/lines.hpp"
#include "lab/record/record.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

using Json = nlohmann::ordered_json;

double to_nanosecond(double ms) { return std::round(ms * 1e6) / 1e6; }

// Six digits are more than anything here is known to; nine tell one f32 from the next.
double rounded(double value, int digits = 6) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

// The short form where it says everything, else the full one.
std::string shortest(const std::string& text) {
  Problem problem, back;
  if (!parse(text, problem).ok()) return text;
  const std::string brief = problem.brief();
  return parse(brief, back).ok() && back == problem ? brief : text;
}

// The record as it will be read back, so that what is derived below follows from what the file holds.
Record as_kept(Record record) {
  record.machine.memory_rate = rounded(record.machine.memory_rate);
  Ceilings& ceilings = record.ceilings;
  for (double* ceiling : {&ceilings.fma_tflops, &ceilings.copy_gbytes}) *ceiling = rounded(*ceiling);
  for (const TensorInstruction& instruction : kTensorInstructions)
    for (auto& [type, ceiling] : ceilings.*instruction.tflops) ceiling = rounded(ceiling);
  for (Row& row : record.rows) {
    row.problem = shortest(row.problem);
    if (auto& s = row.summary) {
      for (double* value :
           {&s->median_ms, &s->low_ms, &s->high_ms, &s->min_ms, &s->ratio, &s->ratio_low, &s->ratio_high})
        *value = rounded(*value);
      s->spread = rounded(100 * s->spread) / 100;
    }
    for (double& sample : row.samples_ms) sample = to_nanosecond(sample);
    for (double& value : row.first) value = rounded(value, 9);
    // JSON has no NaN and no infinity; `verified` says what was wrong.
    if (!std::all_of(row.first.begin(), row.first.end(), [](double x) { return std::isfinite(x); })) row.first = {};
    Vitals& v = row.vitals;
    for (double* value :
         {&row.host_us, &v.sm_mhz, &v.sm_mhz_low, &v.sm_mhz_high, &v.power_w, &v.power_w_high, &v.temperature_c}) {
      *value = rounded(*value);
    }
  }
  return record;
}

// What the samples imply; in a summary's row the statistics are all there is of them.
void add_derived(const Line& line, Json& out) {
  const auto add = [&](const char* key, const std::optional<double>& value, double unit = 1) {
    if (value) out[key] = rounded(*value * unit);
  };
  const bool summary = line.row->summary.has_value();
  if (summary) out["sample_count"] = line.samples, out["outliers"] = line.outliers;
  add("median_ms", line.median_ms);
  if (summary) add("median_low_ms", line.interval_ms.low), add("median_high_ms", line.interval_ms.high);
  add("min_ms", line.min_ms);
  add("spread_percent", line.spread, 100);
  if (line.ratio) {
    out["baseline_id"] = line.baseline->id;
    add("ratio", line.ratio->median);
    add("ratio_low", line.ratio->interval.low);
    add("ratio_high", line.ratio->interval.high);
  }
  if (summary) return;  // a summary is for sweeps of many rows: the speeds follow from the median
  add("tflops", line.tflops);
  add("gbytes", line.gbytes);
  add("percent_of_ceiling", line.of_ceiling, 100);
  add("percent_of_datasheet", line.of_datasheet, 100);
}

Json json_of(const Vitals& v) {
  return {{"sm_mhz", v.sm_mhz},      {"sm_mhz_low", v.sm_mhz_low},     {"sm_mhz_high", v.sm_mhz_high},
          {"power_w", v.power_w},    {"power_w_high", v.power_w_high}, {"temperature_c", v.temperature_c},
          {"throttled", v.throttled}};
}

Json json_of(const Row& row, const Line* line, bool summary) {
  Json out = {{"id", row.id}, {"work", row.work}, {"is_baseline", row.baseline}, {"problem", row.problem}};
  if (row.scalars.alpha != 1) out["alpha"] = row.scalars.alpha;
  if (row.scalars.beta != 0) out["beta"] = row.scalars.beta;
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
  if (!row.counters.empty()) out["counters"] = row.counters;
  if (!summary) out["samples_ms"] = row.samples_ms;
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
  if (method.summary) out["samples"] = "summary";
  return out;
}

// The keys that some row has, in the order of kRowKeys.
Json columns_of(const std::vector<Json>& rows) {
  Json columns = Json::array();
  for (const std::string_view key : kRowKeys) {
    const auto has = [&](const Json& row) { return row.contains(key); };
    if (std::any_of(rows.begin(), rows.end(), has)) columns.push_back(key);
  }
  return columns;
}

// The row's values in the order of the columns: null for a key that it does not have, and no nulls at the end.
Json values_of(const Json& row, const Json& columns) {
  Json values = Json::array();
  std::size_t last = 0;
  for (const auto& key : columns) {
    const auto found = row.find(key.get<std::string>());
    values.push_back(found == row.end() ? Json() : *found);
    if (found != row.end()) last = values.size();
  }
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(last), values.end());
  return values;
}

}  // namespace

std::string to_json(const Record& record) {
  const Record kept = as_kept(record);
  const auto lines = summarize(kept);
  std::vector<Json> rows;
  Json vitals = Json::array();
  auto line = lines.begin();  // lines are in the order of the rows, and only of those that were timed
  const Vitals* previous = nullptr;
  for (const Row& row : kept.rows) {
    const bool has_line = line != lines.end() && line->row == &row;
    rows.push_back(json_of(row, has_line ? &*line : nullptr, kept.method.summary));
    if (has_line) ++line;
    if (row.vitals == Vitals{}) continue;
    // All contenders of a problem are measured together, and have the same vitals.
    if (previous == nullptr || !(*previous == row.vitals)) vitals.push_back(json_of(row.vitals));
    previous = &row.vitals;
    rows.back()["vitals"] = vitals.size() - 1;
  }
  const Json columns = columns_of(rows);
  Json lists = Json::array();
  for (const Json& row : rows) lists.push_back(values_of(row, columns));
  const Build& build = kept.build;
  Json out = {{"schema", kSchema},
              {"kind", kept.kind},
              {"command", kept.command},
              {"created", kept.created},
              {"seed", kept.seed}};
  if (kept.drawn) out["drawn"] = {{"class", kept.drawn->of_class}, {"count", kept.drawn->count}};
  out["build"] = {{"version", build.version},   {"commit", build.commit}, {"type", build.type},
                  {"compiler", build.compiler}, {"cuda", build.cuda},     {"openblas", build.openblas}};
  out["machine"] = json_of(kept.machine);
  out["method"] = json_of(kept.method);
  out["ceilings"] = json_of(kept.ceilings);
  out["notes"] = kept.notes;
  out["vitals"] = vitals;
  out["columns"] = columns;
  out["rows"] = lists;
  return lines_of(out);
}

}  // namespace cairn::lab::record
