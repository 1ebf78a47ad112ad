// The library against the strongest baseline over the problems of a record, one row for each type.
#include <algorithm>

#include <fmt/format.h>

#include "lab/record/table_parts.hpp"
#include "lab/record/totals.hpp"

namespace cairn::lab::record {
namespace {

constexpr std::int64_t kAlignment = 16;  // bytes: what TMA requires of rows, and a thread's widest access

// Whether every row of A, B and C is a multiple of 16 bytes long. Where one is not, cuBLAS takes slower kernels and
// the library packs its operands first, which makes the ratio a matter of its own.
bool aligned(const Problem& p) {
  const auto rows = [](std::int64_t ld, Type type) { return ld * size_of(type) % kAlignment == 0; };
  return rows(p.lda, p.in) && rows(p.ldb, p.in) && rows(p.ldc, p.out);
}

// "e4m3fast:bf16 nt 64x4096x4096" without its type, which has a column.
std::string without_type(const std::string& problem) { return problem.substr(problem.find(' ') + 1); }

}  // namespace

std::vector<Column> ratio_columns() {
  std::vector<Column> columns = {{"type", "type", Align::left},
                                 {"problems", "problems"},
                                 {"mean", "geometric mean", Align::right, 3},
                                 {"mean_aligned", "without odd leading dimensions", Align::right, 3},
                                 {"worst", "worst", Align::right, 3},
                                 {"worst_problem", "on", Align::left},
                                 {"record", "record", Align::left}};
  columns.back().markdown = true;
  return columns;
}

void add_ratios(const Named& named, Table& table) {
  const auto some = totals(named.record, aligned);
  for (const Total& total : totals(named.record)) {
    if (total.id != "cairn" || total.compared == 0) continue;
    const auto same = [&](const Total& other) { return other.id == total.id && other.type == total.type; };
    const auto without_odd = std::find_if(some.begin(), some.end(), same);
    const bool any = without_odd != some.end() && without_odd->compared > 0;
    table.rows.push_back({total.type,
                          total.compared == total.problems ? fmt::format("{}", total.problems)
                                                           : fmt::format("{} of {}", total.compared, total.problems),
                          total.mean, any ? Cell{without_odd->mean} : Cell{}, total.worst,
                          without_type(total.worst_problem), record_link(named)});
  }
}

}  // namespace cairn::lab::record
