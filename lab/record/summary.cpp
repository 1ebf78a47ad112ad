#include "lab/record/summary.hpp"

#include <algorithm>

#include "lab/measure/peaks.hpp"
#include "lab/measure/work.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// The rows that compete: same problem, same work. A copy is written as a problem that a product may have too.
struct Field {
  Problem problem;
  std::string work;
  bool operator==(const Field&) const = default;
};

bool native_f32(const Problem& p) { return p.in == Type::f32 && p.out == Type::f32 && p.compute == Compute::native; }

// By whom a row multiplies, by its id; nothing where that does not tell.
std::string_view instruction_of(const Row& row) {
  if (row.id.starts_with("tensor/")) return "mma.sync";
  if (row.id.starts_with("hopper/")) return "wgmma";
  for (const TensorInstruction& one : kTensorInstructions)
    if (row.id.starts_with(one.probe)) return one.name;
  return "";
}

// A product is bound by arithmetic or by bytes, whichever of the two ceilings it comes nearer to. Those of types that
// no probe multiplies have none.
std::optional<double> of_ceiling(const Line& line, const Field& field, const Ceilings& ceilings) {
  const double multiplying =
      native_f32(field.problem) ? ceilings.fma_tflops : tensor_peak(*line.row, ceilings).tflops;
  std::optional<double> share;
  const auto take = [&](const std::optional<double>& speed, double ceiling) {
    if (speed && ceiling > 0) share = std::max(share.value_or(0), *speed / ceiling);
  };
  if (field.work == "move") {
    take(line.gbytes, ceilings.copy_gbytes);
  } else if (multiplying > 0) {
    take(line.tflops, multiplying);
    take(line.gbytes, ceilings.copy_gbytes);
  }
  return share;
}

std::optional<double> of_datasheet(const Line& line, const Field& field, const runtime::Facts& machine) {
  const bool move = field.work == "move";
  const auto peak = move ? measure::datasheet_bytes(machine) : measure::datasheet_flops(machine, field.problem);
  const auto speed = move ? line.gbytes : line.tflops;
  if (!peak || !speed || !(*peak > 0)) return {};
  return *speed * (move ? 1e9 : 1e12) / *peak;
}

Line line_of(const Row& row, const Field& field, const Record& record) {
  const auto& samples = row.samples_ms;
  Line line;
  line.row = &row;
  line.median_ms = measure::median(samples);
  line.min_ms = measure::quantile(samples, 0);
  line.spread = measure::spread(samples);
  line.deviation_ms = measure::deviation(samples);
  line.interval_ms = measure::stated(measure::median_interval(samples), line.median_ms, kLeastError);
  if (record.kind == "host") return line;  // a call that merely enqueues has no speed
  const bool product = field.work == "product", move = field.work == "move";
  if (product || field.work == "probe") line.tflops = measure::flops(field.problem) / line.median_ms / 1e9;
  if (product || move) {
    line.gbytes = measure::bytes(field.problem, move ? Work::move : Work::product) / line.median_ms / 1e6;
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
    fields.push_back({problem_of(row), row.work});
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
    measure::Ratio ratio = measure::speedup(strongest->row->samples_ms, lines[i].row->samples_ms);
    ratio.interval = measure::stated(ratio.interval, ratio.median, kLeastError);
    lines[i].ratio = ratio;
  }
  return lines;
}

}  // namespace cairn::lab::record
