// The table of the rungs on tensor cores: each in one type and layout, with the baselines of that type and layout.
#include <algorithm>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/record/table_parts.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// "bf16 nt"
std::string words_of(const Problem& kind) {
  const std::string brief = kind.brief();
  return brief.substr(0, brief.rfind(' '));
}

std::vector<Cell> cells(std::string rung, std::string idea, const Problem& kind, const Line& line) {
  return {std::move(rung), std::move(idea),   words_of(kind),          line.median_ms,
          *line.tflops,    of_baseline(line), percent(line.of_ceiling)};
}

}  // namespace

std::vector<Problem> tensor_problems() {
  const auto square = [](Type type, Compute compute, Op op_b) {
    Problem p = Problem::packed(type, Op::none, op_b, kPublishedSize, kPublishedSize, kPublishedSize);
    p.compute = compute;
    return p;
  };
  return {square(Type::bf16, Compute::native, Op::transpose), square(Type::f32, Compute::tf32, Op::transpose),
          square(Type::f32, Compute::tf32, Op::none), square(Type::f32, Compute::split, Op::none)};
}

std::string tensor_table(const Named& named, const std::filesystem::path& folder) {
  std::vector<Line> lines = summarize(named.record);
  std::erase_if(lines, [](const Line& line) { return line.row->scalars != Scalars{}; });
  const std::vector<Problem> all = tensor_problems();
  const auto line_of = [&](std::string_view id, const Problem& kind) {
    return std::ranges::find_if(
        lines, [&](const Line& line) { return line.row->id == id && problem_of(*line.row) == kind; });
  };

  Table table;
  std::vector<bool> shown(all.size());
  for (const Rung* rung : cards()) {
    if (rung->kind != RungKind::gemm) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto line = line_of(rung->id, all[i]);
      if (line == lines.end()) continue;
      table.rows.push_back(cells(linked(rung->id, folder), std::string(rung->title), all[i], *line));
      shown[i] = true;
      break;
    }
  }
  if (table.rows.empty()) return "";
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Line& line : lines) {
      if (!shown[i] || line.baseline != line.row || !(problem_of(*line.row) == all[i])) continue;
      table.rows.push_back(cells(as_markdown(one_line(line.row->id)), "the strongest baseline", all[i], line));
    }
  }
  table.columns = {{"rung", "rung", Align::left},
                   {"idea", "idea", Align::left},
                   {"type", "type", Align::left},
                   {"median_ms", "ms"},
                   {"tflops", "TFLOP/s", Align::right, 1},
                   {"percent_of_baseline", "% of the strongest baseline", Align::right, 1}};
  table.columns[0].markdown = true;
  std::string text = title(named, fmt::format("{0}x{0}x{0}", kPublishedSize));
  std::vector<std::string_view> names;
  for (const TensorInstruction& one : kTensorInstructions) {
    const auto& peaks = named.record.ceilings.*one.tflops;
    if (peaks.empty()) continue;
    names.push_back(one.name);
    std::vector<std::string> parts;
    parts.reserve(peaks.size());
    for (const auto& [type, tflops] : peaks) parts.push_back(fmt::format("{:.1f} TFLOP/s of {}", tflops, type));
    text += fmt::format("\nPeak of {}, measured in the same run: {}.", one.name, fmt::join(parts, ", "));
  }
  if (names.empty()) {
    for (auto& row : table.rows) row.pop_back();
  } else {
    table.columns.push_back(
        {"percent_of_ceiling", fmt::format("% of the {} peak", fmt::join(names, " or ")), Align::right, 1});
  }
  return text + "\n\n" + render(table, Format::md);
}

}  // namespace cairn::lab::record
