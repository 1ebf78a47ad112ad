#include "lab/record/summary.hpp"

#include <algorithm>

#include "lab/measure/peaks.hpp"
#include "lab/measure/work.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// Rows compete if they have the same problem, work and scalars. The work is part of it because a copy's problem may
// read like a product's.
struct Field {
  Problem problem;
  std::string work;
  Scalars scalars;
  bool operator==(const Field&) const = default;
};

bool native_f32(const Problem& p) { return p.in == Type::f32 && p.out == Type::f32 && p.compute == Compute::native; }

// The instruction that a row multiplies with, as far as its id tells.
std::string_view instruction_of(const Row& row) {
  if (row.id.starts_with("tensor/")) return "mma.sync";
  if (row.id.starts_with("hopper/")) return "wgmma";
  for (const TensorInstruction& one : kTensorInstructions)
    if (row.id.starts_with(one.probe)) return one.name;
  return "";
}

// A product is bound by arithmetic or by bytes: whichever of the two ceilings it comes nearer to counts. A type that
// no probe multiplies has no ceiling.
std::optional<double> of_ceiling(const Line& line, const Field& field, const Ceilings& ceilings) {
  const double multiplying =
      native_f32(field.problem) ? ceilings.fma_tflops : tensor_peak(*line.row, ceilings).tflops;
  std::optional<double> fraction;
  const auto take = [&](const std::optional<double>& speed, double ceiling) {
    if (speed && ceiling > 0) fraction = std::max(fraction.value_or(0), *speed / ceiling);
  };
  if (field.work == "move") {
    take(line.gbytes, ceilings.copy_gbytes);
  } else if (multiplying > 0) {
    take(line.tflops, multiplying);
    take(line.gbytes, ceilings.copy_gbytes);
  }
  return fraction;
}

std::optional<double> of_datasheet(const Line& line, const Field& field, const runtime::Facts& machine) {
  const bool move = field.work == "move";
  const auto peak = move ? measure::datasheet_bytes(machine) : measure::datasheet_flops(machine, field.problem);
  const auto speed = move ? line.gbytes : line.tflops;
  if (!peak || !speed || !(*peak > 0)) return {};
  return *speed * (move ? 1e9 : 1e12) / *peak;
}

Line of_samples(const std::vector<double>& samples) {
  Line line;
  line.samples = static_cast<std::int64_t>(samples.size());
  line.outliers = static_cast<std::int64_t>(measure::outliers(samples));
  line.median_ms = measure::median(samples);
  line.min_ms = measure::quantile(samples, 0);
  line.spread = measure::spread(samples);
  line.interval_ms = measure::median_interval(samples);
  return line;
}

Line of_summary(const Summary& summary) {
  Line line;
  line.samples = summary.count, line.outliers = summary.outliers;
  line.median_ms = summary.median_ms, line.min_ms = summary.min_ms, line.spread = summary.spread;
  line.interval_ms = {summary.low_ms, summary.high_ms};
  return line;
}

// Per-round ratios need the samples of both; a summary has their median if it was taken against this baseline. In all
// other cases the medians are divided, and the interval is the widest that those of the medians allow.
measure::Ratio ratio_to(const Line& baseline, const Line& line) {
  measure::Ratio ratio{1, {1, 1}};
  const auto& summary = line.row->summary;
  if (summary && summary->baseline_id == baseline.row->id) {
    ratio = {summary->ratio, {summary->ratio_low, summary->ratio_high}};
  } else if (!summary && !baseline.row->summary) {
    ratio = measure::speedup(baseline.row->samples_ms, line.row->samples_ms);
  } else if (line.row != baseline.row) {
    ratio = {baseline.median_ms / line.median_ms,
             {baseline.interval_ms.low / line.interval_ms.high, baseline.interval_ms.high / line.interval_ms.low}};
  }
  ratio.interval = measure::stated(ratio.interval, ratio.median, kLeastError);
  return ratio;
}

Line line_of(const Row& row, const Field& field, const Record& record) {
  Line line = row.summary ? of_summary(*row.summary) : of_samples(row.samples_ms);
  line.row = &row;
  line.interval_ms = measure::stated(line.interval_ms, line.median_ms, kLeastError);
  if (record.kind == "host") return line;  // a call that merely enqueues has no speed
  const bool product = field.work == "product", move = field.work == "move";
  if (product || field.work == "probe") line.tflops = measure::flops(field.problem) / line.median_ms / 1e9;
  if (product || move) {
    line.gbytes =
        measure::bytes(field.problem, move ? Work::move : Work::product, field.scalars) / line.median_ms / 1e6;
  }
  line.of_ceiling = of_ceiling(line, field, record.ceilings);
  line.of_datasheet = of_datasheet(line, field, record.machine);
  return line;
}

}  // namespace

TensorPeak tensor_peak(const Row& row, const Ceilings& ceilings) {
  const std::string_view only = instruction_of(row);
  const std::string type = tensor_type(problem_of(row));
  TensorPeak peak;
  for (const TensorInstruction& one : kTensorInstructions) {
    const auto& by_type = ceilings.*one.tflops;
    const auto found = by_type.find(type);
    if (found == by_type.end() || (!only.empty() && only != one.name)) continue;
    if (found->second > peak.tflops) peak = {one.name, found->second};
  }
  return peak;
}

std::vector<Line> summarize(const Record& record) {
  std::vector<Line> lines;
  std::vector<Field> fields;  // of each line
  for (const Row& row : record.rows) {
    if (!row.timed()) continue;
    fields.push_back({problem_of(row), row.work, row.scalars});
    lines.push_back(line_of(row, fields.back(), record));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line* strongest = nullptr;
    for (std::size_t j = 0; j < lines.size(); ++j) {
      if (!lines[j].row->baseline || !(fields[j] == fields[i])) continue;
      if (strongest == nullptr || lines[j].median_ms < strongest->median_ms) strongest = &lines[j];
    }
    if (strongest == nullptr) continue;
    lines[i].baseline = strongest->row;
    lines[i].ratio = ratio_to(*strongest, lines[i]);
  }
  return lines;
}

Record without_samples(Record record) {
  const Record before = record;
  const auto lines = summarize(before);
  for (Row& row : record.rows) {
    row.samples_ms.clear();
    row.first.clear();
  }
  for (const Line& line : lines) {
    Summary summary = {.count = line.samples,
                       .median_ms = line.median_ms,
                       .low_ms = line.interval_ms.low,
                       .high_ms = line.interval_ms.high,
                       .min_ms = line.min_ms,
                       .spread = line.spread,
                       .outliers = line.outliers};
    if (line.ratio) {
      summary.baseline_id = line.baseline->id;
      summary.ratio = line.ratio->median;
      summary.ratio_low = line.ratio->interval.low, summary.ratio_high = line.ratio->interval.high;
    }
    record.rows[static_cast<std::size_t>(line.row - before.rows.data())].summary = std::move(summary);
  }
  record.method.summary = true;
  return record;
}

}  // namespace cairn::lab::record
