#include "lab/record/view.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/record/cells.hpp"
#include "lab/record/drawn.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/totals.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

Cell number(const std::optional<double>& value) { return value ? Cell{*value} : Cell{}; }

// The column's title names the instruction whose peak is 100 %, since cuBLAS on Hopper exceeds that of mma.sync in
// records that have no peak of wgmma.
std::string ceiling_title(const Record& record) {
  const auto held_to = [&](std::string_view instruction) {
    return std::ranges::any_of(
        record.rows, [&](const Row& row) { return tensor_peak(row, record.ceilings).instruction == instruction; });
  };
  std::vector<std::string_view> names;
  for (const TensorInstruction& one : kTensorInstructions)
    if (held_to(one.name)) names.push_back(one.name);
  if (names.empty()) return "% ceiling";
  const bool all =
      std::ranges::all_of(record.rows, [](const Row& row) { return !tensor_type(problem_of(row)).empty(); });
  return fmt::format(fmt::runtime(all ? "% {} peak" : "% ceiling (tensor types: {} peak)"), fmt::join(names, " or "));
}

std::vector<Column> columns(bool cpu, bool host, const std::string& ceiling) {
  const auto speeds = host ? Audience::machines : Audience::all;
  const auto shares = host || cpu ? Audience::machines : Audience::all;
  return {{"id", "id", Align::left},
          {"problem", "problem", Align::left},
          time_column("median_ms", host ? "host ms" : "median ms"),
          {"spread_percent", "spread %", Align::right, 1},
          time_column("min_ms", "min ms", host ? Audience::machines : Audience::all),
          {"tflops", "", Align::right, 3, Audience::machines},
          {"flops_shown", cpu ? "GFLOP/s" : "TFLOP/s", Align::right, cpu ? 1 : 2,
           host ? Audience::machines : Audience::people},
          {"gbytes", "GB/s", Align::right, 1, speeds},
          {"baseline_id", "", Align::left, 0, Audience::machines},
          {"ratio", "vs strongest baseline"},
          {"ratio_interval", "95 % interval", Align::right, 0, Audience::people},
          {"ratio_low", "", Align::right, 3, Audience::machines},
          {"ratio_high", "", Align::right, 3, Audience::machines},
          {"percent_of_ceiling", ceiling, Align::right, 1, shares},
          {"percent_of_datasheet", "% datasheet", Align::right, 1, shares},
          {"samples", "samples"},
          {"outliers", "outliers"},
          {"settled", "settled"}};
}

std::vector<Cell> cells(const Line& line, bool cpu) {
  std::vector<Cell> ratio(5);  // the baseline's id, the ratio, its interval as text and as two numbers
  if (line.ratio) {
    const auto& [middle, interval] = *line.ratio;
    const bool itself = line.baseline == line.row;
    ratio = {line.baseline->id, middle,
             itself ? std::string("is the baseline") : fmt::format("[{:.3f}, {:.3f}]", interval.low, interval.high),
             interval.low, interval.high};
  }
  std::vector<Cell> row = {line.row->id,
                           problem_text(*line.row),
                           line.median_ms,
                           100 * line.spread,
                           line.min_ms,
                           number(line.tflops),
                           line.tflops ? Cell{*line.tflops * (cpu ? 1e3 : 1)} : Cell{},
                           number(line.gbytes)};
  row.insert(row.end(), ratio.begin(), ratio.end());
  row.insert(row.end(),
             {percent(line.of_ceiling), percent(line.of_datasheet), line.samples, line.outliers, line.row->settled});
  return row;
}

// Lines of "not taken" and "FAILED": one for each reason, with the number of rows that have it.
std::vector<std::string> gathered(const Record& record, const std::string& head, std::string Row::*what,
                                  bool (*wanted)(const Row&)) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const Row& row : record.rows) {
    if (!wanted(row)) continue;
    const std::string& reason = row.*what;
    auto found = std::ranges::find(by_reason, reason, [](const auto& entry) { return entry.first; });
    if (found == by_reason.end()) found = by_reason.insert(by_reason.end(), {reason, {}});
    const std::string who = fmt::format("{}, {}", row.id, problem_text(row));
    found->second.push_back(who);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, who] : by_reason) {
    const std::string more = who.size() > 1 ? fmt::format(" and {} more", who.size() - 1) : "";
    lines.push_back(fmt::format("{}: {}{}: {}", head, who[0], more, reason));
  }
  return lines;
}

std::string how(const Record& record) {
  if (record.kind == "host") return "the host's time for a call, interleaved batches of 64 calls";
  return fmt::format("interleaved rounds, {}{}, inputs uniform in [-1, 1], every contender verified at its size",
                     record.method.cache == "hot" ? "HOT caches" : "cold caches",
                     record.method.sustained ? ", SUSTAINED load" : "");
}

// Creating a library handle, a plan or memory in every call is a common mistake, and a graph hides it from the
// device's clock. The host's time of a call shows it.
std::vector<std::string> host_alarms(const Record& record) {
  std::vector<std::string> lines;
  if (record.machine.kind != runtime::Kind::gpu || record.kind != "bench") return lines;
  for (const Line& line : summarize(record)) {
    const Row& row = *line.row;
    if (row.via == "calls") {
      lines.push_back(
          fmt::format("{}, {}: could not be recorded in a graph, so the host's {:.1f} us a call are in its time",
                      row.id, problem_text(row), row.host_us));
    } else if (row.host_us > kHostAlarmUs && row.host_us > 1e3 * line.median_ms) {
      lines.push_back(
          fmt::format("{}, {}: the host spends {:.0f} us in a call of {:.0f} us on the device; is something "
                      "set up anew with every call?",
                      row.id, problem_text(row), row.host_us, 1e3 * line.median_ms));
    }
  }
  return lines;
}

std::string vitals_line(const Record& record) {
  double low = 0, high = 0, power = 0, temperature = 0;
  std::vector<std::string> throttled;
  for (const Row& row : record.rows) {
    const Vitals& v = row.vitals;
    if (v.sm_mhz == 0) continue;
    low = low == 0 ? v.sm_mhz_low : std::min(low, v.sm_mhz_low);
    high = std::max(high, v.sm_mhz_high);
    power = std::max(power, v.power_w_high), temperature = std::max(temperature, v.temperature_c);
    for (const std::string& reason : v.throttled) {
      if (std::ranges::find(throttled, reason) == throttled.end()) throttled.push_back(reason);
    }
  }
  if (high == 0) return "";
  return fmt::format("SM clock {:.0f} to {:.0f} MHz, up to {:.0f} W and {:.0f} °C, throttled by: {}", low, high,
                     power, temperature,
                     throttled.empty() ? "nothing" : fmt::format("{}", fmt::join(throttled, ", ")));
}

}  // namespace

Report view(const Record& record) {
  const bool cpu = record.machine.kind == runtime::Kind::cpu, host = record.kind == "host";
  Report report;
  const std::string& software = record.machine.software;
  report.before = {
      fmt::format("{}{}{} · {}", record.machine.name, software.empty() ? "" : ", ", software, how(record))};
  if (record.drawn) report.before.push_back(drawn_text(record));
  if (record.ceilings.fma_tflops > 0) {
    std::string ceilings =
        fmt::format("ceilings measured here: {:.1f} TFLOP/s of f32 multiply-adds", record.ceilings.fma_tflops);
    for (const TensorInstruction& one : kTensorInstructions)
      for (const auto& [type, tflops] : record.ceilings.*one.tflops)
        ceilings += fmt::format(", {:.1f} of {} by {}", tflops, type, one.name);
    report.before.push_back(fmt::format("{}, {:.0f} GB/s copied", ceilings, record.ceilings.copy_gbytes));
  }
  report.table.columns = columns(cpu, host, ceiling_title(record));
  report.table.spare = {"outliers", "samples",        "min_ms",         "percent_of_datasheet", "gbytes",
                        "settled",  "ratio_interval", "spread_percent", "percent_of_ceiling",   "flops_shown"};
  for (const Line& line : summarize(record)) report.table.rows.push_back(cells(line, cpu));
  if (const std::string line = vitals_line(record); !line.empty()) report.after.push_back(line);
  if (record.method.summary) report.after.emplace_back("the samples were not kept: the statistics are the record's");
  for (const std::string& note : record.notes) report.after.push_back(note);
  const auto refused = [](const Row& row) { return !row.refused.empty(); };
  for (auto& line : gathered(record, "not taken", &Row::refused, refused)) report.after.push_back(std::move(line));
  const auto failed = [](const Row& row) { return row.failed(); };
  report.alarms = gathered(record, "FAILED", &Row::verified, failed);
  for (auto& line : host_alarms(record)) report.alarms.push_back(std::move(line));
  report.totals = totals_table(record);
  report.worst = worst_table(record);
  // A name with a line break must not make lines of its own.
  for (auto* lines : {&report.before, &report.after, &report.alarms})
    std::ranges::transform(*lines, lines->begin(), one_line);
  return report;
}

}  // namespace cairn::lab::record
