#include "lab/program/checksums.hpp"

#include <utility>

#include <fmt/format.h>

#include "lab/trace/show.hpp"

namespace cairn::lab::program {

std::string sum_text(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

Table checksum_table(const std::vector<emu::program::Launched>& launches) {
  Table table;
  table.columns = {{"launch", "launch"},   {"kernel", "kernel", Align::left},    {"grid", "grid"},
                   {"block", "block"},     {"allocation", "allocation"},         {"bytes", "bytes"},
                   {"changed", "changed"}, {"checksum", "checksum", Align::left}};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const emu::program::Launched& launch = launches[i];
    const auto row = [&](Cell number, Cell bytes, std::uint64_t changed, Cell sum) {
      table.rows.push_back({static_cast<std::int64_t>(i + 1), launch.kernel, trace::extents(launch.grid),
                            trace::extents(launch.block), std::move(number), std::move(bytes),
                            static_cast<std::int64_t>(changed), std::move(sum)});
    };
    for (const emu::program::Change& change : launch.changes)
      row(static_cast<std::int64_t>(change.memory.number), static_cast<std::int64_t>(change.memory.bytes),
          change.changed, sum_text(change.sum));
    if (launch.changes.empty()) row({}, {}, 0, {});
  }
  return table;
}

}  // namespace cairn::lab::program
