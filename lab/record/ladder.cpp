#include "lab/record/ladder.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/record/ladder_parts.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

Problem square(Op op_a) {
  return Problem::packed(Type::f32, op_a, Op::none, kPublishedSize, kPublishedSize, kPublishedSize);
}

// The lines of one work at the published size.
std::vector<const Line*> chosen(const std::vector<Line>& lines, std::string_view work) {
  std::vector<const Line*> found;
  for (const Line& line : lines) {
    const Problem problem = problem_of(*line.row);
    const bool turned = work == "move" && problem == square(Op::transpose);
    if (line.row->work == work && (turned || problem == square(Op::none))) found.push_back(&line);
  }
  return found;
}

const Line* line_of(std::string_view id, const std::vector<const Line*>& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line* line) { return line->row->id == id; });
  return found == lines.end() ? nullptr : *found;
}

Table products(const std::vector<const Line*>& lines, const std::filesystem::path& root) {
  std::string baseline = "the baseline";
  Table table;
  for (const Rung* rung : cards()) {
    const Line* line = line_of(rung->id, lines);
    if (line == nullptr) continue;
    table.rows.push_back({linked(rung->id, root), std::string(rung->title), line->median_ms, *line->tflops,
                          of_baseline(*line), percent(line->of_ceiling)});
  }
  for (const Line* line : lines) {
    if (!line->row->baseline) continue;
    const bool strongest = line->baseline == line->row;
    if (strongest) baseline = line->row->id;
    table.rows.push_back({line->row->id, std::string(strongest ? "the strongest baseline" : "a baseline"),
                          line->median_ms, *line->tflops, of_baseline(*line), percent(line->of_ceiling)});
  }
  table.columns = {{"rung", "rung", Align::left},
                   {"idea", "idea", Align::left},
                   {"median_ms", "ms"},
                   {"tflops", "TFLOP/s", Align::right, 2},
                   {"percent_of_baseline", "% of " + baseline, Align::right, 1},
                   {"percent_of_ceiling", "% of the measured ceiling", Align::right, 1}};
  return table;
}

Table moves(const std::vector<const Line*>& lines, const std::filesystem::path& root) {
  Table table;
  table.columns = {{"rung", "rung", Align::left},
                   {"idea", "idea", Align::left},
                   {"median_ms", "ms", Align::right, 4},
                   {"gbytes", "GB/s", Align::right, 0},
                   {"percent_of_ceiling", "% of the copy", Align::right, 1}};
  for (const Rung* rung : cards()) {
    const Line* line = line_of(rung->id, lines);
    if (line == nullptr) continue;
    table.rows.push_back({linked(rung->id, root), std::string(rung->title), line->median_ms, *line->gbytes,
                          percent(line->of_ceiling)});
  }
  return table;
}

// Where the marker stands; it must stand there once.
std::size_t place_of(std::string_view marker, const std::string& text, const std::string& where) {
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) throw Error(kFailed, fmt::format("{} has no marker {}", where, marker));
  if (text.find(marker, at + 1) != std::string::npos) {
    throw Error(kFailed, fmt::format("{} has the marker {} more than once", where, marker));
  }
  return at;
}

}  // namespace

// Both builds have the same cards.
Ladder cards() { return emulated_ladder().empty() ? cuda_ladder() : emulated_ladder(); }

std::string linked(std::string_view id, const std::filesystem::path& root) {
  std::string name(id);
  std::replace(name.begin(), name.end(), '/', '_');
  const std::string page = fmt::format("docs/trail/{}.md", name);
  return std::filesystem::exists(root / page) ? fmt::format("[{}]({})", id, page) : std::string(id);
}

std::string title(const Named& named, const std::string& what) {
  const Record& record = named.record;
  std::vector<std::string> parts = {"**" + record.machine.name + "**"};
  if (!record.machine.software.empty()) parts.push_back(record.machine.software);
  parts.insert(parts.end(), record.notes.begin(), record.notes.end());
  return fmt::format("{} · {}, {} caches{} · [{}]({}), commit {}.", fmt::join(parts, ", "), what, record.method.cache,
                     record.method.sustained ? ", sustained load" : "", named.name, named.name,
                     record.build.commit.substr(0, 12));
}

std::string simt_table(const Named& named, const std::filesystem::path& root) {
  const auto lines = summarize(named.record);
  const Table products_table = products(chosen(lines, "product"), root);
  const Table moves_table = moves(chosen(lines, "move"), root);
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

std::vector<MarkedTable> ladder_tables(const std::vector<Named>& records, const std::filesystem::path& root) {
  std::string simt, tensor;
  for (const Named& named : records) {
    const std::string of_simt = simt_table(named, root), of_tensor = tensor_table(named, root);
    if (of_simt.empty() && of_tensor.empty()) {
      throw Error(kFailed, fmt::format("{0} has no timed row of a rung at {1}x{1}x{1}, in f32 nn or in a type of the "
                                       "tensor trail, which the ladder's tables show",
                                       named.name, kPublishedSize));
    }
    if (!of_simt.empty()) simt += (simt.empty() ? "" : "\n") + of_simt;
    if (!of_tensor.empty()) tensor += (tensor.empty() ? "" : "\n") + of_tensor;
  }
  std::vector<MarkedTable> tables;
  if (!simt.empty()) tables.push_back({"ladder", simt});
  if (!tensor.empty()) tables.push_back({"tensor", tensor});
  return tables;
}

std::string with_table(const std::string& text, const MarkedTable& table, const std::string& where) {
  const std::string begin = fmt::format("<!-- {}:begin -->", table.name);
  const std::string end = fmt::format("<!-- {}:end -->", table.name);
  const std::size_t from = place_of(begin, text, where) + begin.size();
  const std::size_t to = place_of(end, text, where);
  if (to < from) throw Error(kFailed, fmt::format("{} has {} before {}", where, end, begin));
  return text.substr(0, from) + "\n\n" + table.text + "\n" + text.substr(to);
}

}  // namespace cairn::lab::record
