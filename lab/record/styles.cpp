// The styles of view.hpp.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/record/cells.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/view.hpp"
#include "lab/record/words.hpp"
#include "lab/wrap.hpp"

namespace cairn::lab::record {
namespace {

struct Block {
  Problem problem;
  std::vector<Line> lines;
};

std::vector<Block> by_problem(const Record& record) {
  std::vector<Block> blocks;
  for (const Line& line : summarize(record)) {
    const Problem problem = problem_of(*line.row);
    if (blocks.empty() || !(blocks.back().problem == problem)) blocks.push_back({problem, {}});
    blocks.back().lines.push_back(line);
  }
  return blocks;
}

std::string s0(const Record& record, std::size_t columns) {
  std::string text;
  for (const Block& block : by_problem(record)) {
    const Problem& p = block.problem;
    text +=
        fmt::format("{:-^{}}\n",
                    fmt::format(" {} {}{}, M={}, N={}, K={} ", name(p.in), name(p.op_a), name(p.op_b), p.m, p.n, p.k),
                    columns == 0 ? 100 : std::min<std::size_t>(columns, 100));
    for (const Line& line : block.lines) {
      std::string values;
      for (const double value : line.row->first) values += fmt::format("{}{:.8g}", values.empty() ? "" : ", ", value);
      text += fmt::format("{:>32}: {:<44} time: {:.6f} ms\n", visible(line.row->id, Breaks::escape),
                          values.empty() ? "" : "[" + values + "]", line.median_ms);
    }
  }
  return fitted(text, columns);
}

Report s1(const Block& block) {
  Report report;
  report.before = {block.problem.brief()};
  report.table.columns = {{"id", "kernel", Align::left},
                          {"tflops", "median TFLOPS", Align::right, 3},
                          {"std", "std", Align::right, 3},
                          {"percent_of_baseline", "% of baseline", Align::right, 1},
                          {"percent_of_peak", "% of peak", Align::right, 1}};
  for (const Line& line : block.lines) {
    std::vector<Cell> row = {line.row->id};
    if (line.tflops) {
      std::vector<double> rates;  // none where the record has summaries
      for (const double ms : line.row->samples_ms) rates.push_back(*line.tflops * line.median_ms / ms);
      row.insert(row.end(), {*line.tflops, rates.empty() ? Cell{} : Cell{measure::deviation(rates)},
                             of_baseline(line), line.of_datasheet ? Cell{100 * *line.of_datasheet} : Cell{}});
    }
    row.resize(report.table.columns.size());
    report.table.rows.push_back(std::move(row));
  }
  return report;
}

std::vector<std::string> device_header(const runtime::Facts& facts) {
  std::vector<std::string> lines = {one_line(fmt::format("Device: {}", facts.name))};
  if (facts.arch > 0) lines.push_back(fmt::format("  compute capability {}.{}", facts.arch / 10, facts.arch % 10));
  lines.push_back(fmt::format("  {} {}", facts.units, facts.kind == runtime::Kind::cpu ? "threads" : "SMs"));
  lines.push_back(fmt::format("  memory {:.1f} GB, last-level cache {:.1f} MB",
                              static_cast<double>(facts.memory_bytes) / 1e9,
                              static_cast<double>(facts.cache_bytes) / 1e6));
  if (facts.memory_rate > 0) lines.push_back(fmt::format("  memory bandwidth {:.0f} GB/s", facts.memory_rate / 1e9));
  if (facts.clock_mhz > 0) lines.push_back(fmt::format("  clock up to {} MHz", facts.clock_mhz));
  lines.push_back(one_line(fmt::format("  {}", facts.software)));
  return lines;
}

Report s2(const Block& block) {
  Report report;
  report.before = {block.problem.brief()};
  report.table.columns = {{"id", "kernel", Align::left},
                          time_column("median_ms", "latency ms"),
                          {"gbytes", "effective GB/s", Align::right, 1},
                          {"tflops", "TFLOPS", Align::right, 3},
                          {"percent_of_baseline", "% of baseline", Align::right, 1}};
  for (const Line& line : block.lines) {
    report.table.rows.push_back({line.row->id, line.median_ms, line.gbytes ? Cell{*line.gbytes} : Cell{},
                                 line.tflops ? Cell{*line.tflops} : Cell{}, of_baseline(line)});
  }
  return report;
}

}  // namespace

std::string view_in_style(const Record& record, const std::string& style, Format format, const Terminal& terminal) {
  std::string text;
  const auto blocks = [&](Report (*report)(const Block&)) {
    for (const Block& block : by_problem(record))
      text += (text.empty() ? "" : "\n") + render(report(block), format, terminal);
  };
  if (style == "S0") {
    // In Markdown as code, as it stands in lines. No line of it can end the fence: each has a time at its end.
    text = format == Format::md ? "```\n" + s0(record, 0) + "```\n" : s0(record, terminal.columns);
  } else if (style == "S1") {
    blocks(s1);
  } else {
    text = render(Report{device_header(record.machine), {}, {}, {}}, format, terminal);
    blocks(s2);
  }
  return text;
}

void check_style(const std::string& style, Format format) {
  if (style.empty()) return;
  if (style != "S0" && style != "S1" && style != "S2")
    throw Error(kUsage, fmt::format("--style '{}' is not S0, S1 or S2", style));
  if (format == Format::csv || format == Format::json)
    throw Error(kUsage, "--style is for people; with --format csv or json leave it out");
}

}  // namespace cairn::lab::record
