#include "lab/trace/show.hpp"

#include <optional>

#include <fmt/format.h>

#include "lab/trace/ratios.hpp"

namespace cairn::lab::trace {
namespace {

Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

Cell quotient(std::optional<double> value) { return value ? Cell{*value} : Cell{}; }

// Nothing rather than a 0: in a margin only what happened is worth ink.
Cell if_any(std::uint64_t value) { return value == 0 ? Cell{} : count(value); }

std::vector<Column> lines_columns() {
  return {{"rung", "rung", Align::left, 0, Audience::machines},
          {"problem", "problem", Align::left, 0, Audience::machines},
          {"kernel", "kernel", Align::left, 0, Audience::machines},
          {"place", "line", Align::left},
          {"global_requests", "global"},
          {"sectors_per_request", "sectors each", Align::right, 2},
          {"shared_requests", "shared"},
          {"wavefronts_per_request", "wavefronts each", Align::right, 2},
          {"bank_conflicts", "conflicts"},
          {"barriers", "barriers"},
          {"excess", "excess"},
          {"source", "", Align::left}};
}

void add_lines(const Traced& run, const emu::KernelTrace& kernel, const std::vector<Listing>& source, Table& table) {
  for (const emu::LineCounters* line : worst_first(kernel)) {
    const emu::Counters& c = line->counters;
    table.rows.push_back({run.id, run.brief(), kernel.name, fmt::format("{}:{}", line->place.file, line->place.line),
                          if_any(global_requests(c)), quotient(sectors_a_request(c)), if_any(shared_requests(c)),
                          quotient(wavefronts_a_request(c)), if_any(bank_conflicts(c)), if_any(c.barriers),
                          count(excess(c)), text_of(source, line->place)});
  }
}

}  // namespace

std::string extents(const std::array<unsigned, 3>& of) { return fmt::format("{}x{}x{}", of[0], of[1], of[2]); }

Table counters_table(const Runs& runs) {
  Table table;
  table.upright = true;
  const bool own = is_own(runs);
  table.columns = {{"id", own ? "file" : "rung", Align::left},
                   {"problem", own ? "arguments" : "problem"},
                   {"kernel", "kernel"},
                   {"launches", "launches"},
                   {"grid", "grid"},
                   {"block", "block"}};
  const auto names = emu::counter_names();
  for (const Ratio& one : ratios()) table.columns.push_back({one.key, one.title, Align::right, 2});
  for (const emu::CounterName& name : names) table.columns.push_back({name.key, title_of(name.key)});
  for (const Traced& run : runs) {
    for (const emu::KernelTrace& kernel : run.trace.kernels) {
      std::vector<Cell> row = {
          run.id, run.brief(), kernel.name, count(kernel.launches), extents(kernel.grid), extents(kernel.block)};
      for (const Ratio& one : ratios()) row.push_back(quotient(one.of(kernel.counters)));
      for (const emu::CounterName& name : names) row.push_back(count(kernel.counters.*name.value));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table lines_table(const Runs& runs, const std::vector<std::string>& roots) {
  Table table;
  table.columns = lines_columns();
  for (const Traced& run : runs) {
    for (const emu::KernelTrace& kernel : run.trace.kernels) add_lines(run, kernel, listings(kernel, roots), table);
  }
  return table;
}

Table lines_table(const Traced& run, const emu::KernelTrace& kernel, const std::vector<Listing>& source) {
  Table table;
  table.columns = lines_columns();
  table.spare = {"barriers", "bank_conflicts", "source"};
  add_lines(run, kernel, source, table);
  return table;
}

Table listing_table(const Listing& listing) {
  Table table;
  table.columns = {{"global_requests", "global"},        {"sectors_per_request", "sectors", Align::right, 2},
                   {"shared_requests", "shared"},        {"wavefronts_per_request", "wavefronts", Align::right, 2},
                   {"bank_conflicts", "conflicts"},      {"line", "line"},
                   {"source", listing.file, Align::left}};
  for (const SourceLine& line : listing.lines) {
    const emu::Counters c = line.seen == nullptr ? emu::Counters{} : line.seen->counters;
    table.rows.push_back({if_any(global_requests(c)), quotient(sectors_a_request(c)), if_any(shared_requests(c)),
                          quotient(wavefronts_a_request(c)), if_any(bank_conflicts(c)),
                          static_cast<std::int64_t>(line.number), line.text});
  }
  return table;
}

std::vector<Section> lines_report(const Runs& runs, const std::vector<std::string>& roots) {
  std::vector<Section> sections;
  for (const Traced& run : runs) {
    for (const emu::KernelTrace& kernel : run.trace.kernels) {
      const std::vector<Listing> source = listings(kernel, roots);
      sections.push_back(
          {fmt::format("{}, {}: the lines, worst first (excess: sectors beyond what the bytes need, and "
                       "bank conflicts)",
                       run.id, kernel.name),
           lines_table(run, kernel, source)});
      for (const Listing& one : source) {
        if (one.lines.empty()) {
          sections.push_back({fmt::format("{} cannot be read from here, or has changed: no listing", one.file)});
        } else {
          sections.push_back({"", listing_table(one)});
        }
      }
    }
  }
  return sections;
}

}  // namespace cairn::lab::trace
