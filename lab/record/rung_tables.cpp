// The tables of the rungs: f32 on CUDA cores, and what moves matrices.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/record/table_parts.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

Problem square(Op op_a) {
  return Problem::packed(Type::f32, op_a, Op::none, kPublishedSize, kPublishedSize, kPublishedSize);
}

// The lines of one work at the published size, with alpha 1 and beta 0.
std::vector<const Line*> chosen(const std::vector<Line>& lines, std::string_view work) {
  std::vector<const Line*> found;
  for (const Line& line : lines) {
    const Problem problem = problem_of(*line.row);
    const bool transposed = work == "move" && problem == square(Op::transpose);
    if (line.row->work == work && line.row->scalars == Scalars{} && (transposed || problem == square(Op::none)))
      found.push_back(&line);
  }
  return found;
}

const Line* line_of(std::string_view id, const std::vector<const Line*>& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line* line) { return line->row->id == id; });
  return found == lines.end() ? nullptr : *found;
}

Table products(const std::vector<const Line*>& lines, const std::filesystem::path& folder) {
  std::string baseline = "the baseline";
  Table table;
  for (const Rung* rung : cards()) {
    const Line* line = line_of(rung->id, lines);
    if (line == nullptr) continue;
    table.rows.push_back({linked(rung->id, folder), std::string(rung->title), line->median_ms, *line->tflops,
                          of_baseline(*line), percent(line->of_ceiling)});
  }
  for (const Line* line : lines) {
    if (!line->row->baseline) continue;
    const bool strongest = line->baseline == line->row;
    if (strongest) baseline = line->row->id;
    table.rows.push_back({as_markdown(one_line(line->row->id)),
                          std::string(strongest ? "the strongest baseline" : "a baseline"), line->median_ms,
                          *line->tflops, of_baseline(*line), percent(line->of_ceiling)});
  }
  table.columns = {{"rung", "rung", Align::left},
                   {"idea", "idea", Align::left},
                   {"median_ms", "ms"},
                   {"tflops", "TFLOP/s", Align::right, 2},
                   {"percent_of_baseline", "% of " + baseline, Align::right, 1},
                   {"percent_of_ceiling", "% of the measured ceiling", Align::right, 1}};
  table.columns[0].markdown = true;
  return table;
}

Table moves(const std::vector<const Line*>& lines, const std::filesystem::path& folder) {
  Table table;
  table.columns = {{"rung", "rung", Align::left},
                   {"idea", "idea", Align::left},
                   {"median_ms", "ms", Align::right, 4},
                   {"gbytes", "GB/s", Align::right, 0},
                   {"percent_of_ceiling", "% of the copy", Align::right, 1}};
  table.columns[0].markdown = true;
  for (const Rung* rung : cards()) {
    const Line* line = line_of(rung->id, lines);
    if (line == nullptr) continue;
    table.rows.push_back({linked(rung->id, folder), std::string(rung->title), line->median_ms, *line->gbytes,
                          percent(line->of_ceiling)});
  }
  return table;
}

}  // namespace

std::vector<Problem> published_problems() {
  std::vector<Problem> all = tensor_problems();
  all.insert(all.begin(), square(Op::none));
  all.push_back(square(Op::transpose));
  return all;
}

std::string simt_table(const Named& named, const std::filesystem::path& folder) {
  const auto lines = summarize(named.record);
  const Table products_table = products(chosen(lines, "product"), folder);
  const Table moves_table = moves(chosen(lines, "move"), folder);
  if (products_table.rows.empty()) return "";
  std::string text = title(named, square(Op::none).brief());
  const Ceilings& ceilings = named.record.ceilings;
  if (ceilings.fma_tflops > 0 && ceilings.copy_gbytes > 0) {
    text +=
        fmt::format("\nCeilings measured in the same run: {:.1f} TFLOP/s of multiply-adds, {:.0f} GB/s of copying.",
                    ceilings.fma_tflops, ceilings.copy_gbytes);
  }
  text += "\n\n" + render(products_table, Format::md);
  if (!moves_table.rows.empty()) text += "\n" + render(moves_table, Format::md);
  return text;
}

}  // namespace cairn::lab::record
