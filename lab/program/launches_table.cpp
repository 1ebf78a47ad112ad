#include "lab/program/launches_table.hpp"

#include <algorithm>
#include <optional>

#include "lab/trace/ratios.hpp"
#include "lab/trace/show.hpp"

namespace cairn::lab::program {
namespace {

Cell quotient(std::optional<double> value) { return value ? Cell{*value} : Cell{}; }

}  // namespace

Table launches_table(const emu::Trace& trace) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left},
                   {"launches", "launches"},
                   {"grid", "grid"},
                   {"block", "block"},
                   {"global_load_requests", "global loads"},
                   {"global_load_sectors_per_request", "sectors each", Align::right, 2},
                   {"global_store_requests", "stores"},
                   {"global_store_sectors_per_request", "sectors each", Align::right, 2},
                   {"shared_load_requests", "shared loads"},
                   {"shared_load_wavefronts_per_request", "wavefronts each", Align::right, 2},
                   {"merged_shared_load_requests", "if merged"},
                   {"merged_shared_load_wavefronts_per_request", "wavefronts each", Align::right, 2},
                   {"shared_store_requests", "stores"},
                   {"shared_store_wavefronts_per_request", "wavefronts each", Align::right, 2},
                   {"barriers", "barriers"}};
  const std::size_t shown = table.columns.size();
  for (const emu::CounterName& name : emu::counter_names()) {
    const auto known = [&](const Column& column) { return column.key == name.key; };
    if (std::ranges::none_of(table.columns, known))
      table.columns.push_back({name.key, trace::title_of(name.key), Align::right, 0, Audience::machines});
  }
  for (const emu::KernelTrace& kernel : trace.kernels) {
    std::vector<Cell> row = {kernel.name, static_cast<std::int64_t>(kernel.launches), trace::extents(kernel.grid),
                             trace::extents(kernel.block)};
    for (std::size_t i = row.size(); i < table.columns.size(); ++i) {
      const std::string& key = table.columns[i].key;
      Cell cell;
      for (const emu::CounterName& name : emu::counter_names()) {
        const std::uint64_t value = kernel.counters.*name.value;
        if (key == name.key && (value > 0 || i >= shown)) cell = static_cast<std::int64_t>(value);
      }
      for (const trace::Ratio& one : trace::ratios())
        if (key == one.key) cell = quotient(one.of(kernel.counters));
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace cairn::lab::program
