#include "lab/record/drawn.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lab/measure/statistics.hpp"

namespace cairn::lab::record {
namespace {

double median_ms(const Row& row) { return row.summary ? row.summary->median_ms : measure::median(row.samples_ms); }

}  // namespace

std::vector<Row> with_strongest_baseline(std::vector<Row> rows) {
  const Row* kept = nullptr;
  for (const Row& row : rows) {
    if (!row.baseline || row.failed()) continue;
    const bool stronger = kept == nullptr || (row.timed() && (!kept->timed() || median_ms(row) < median_ms(*kept)));
    if (stronger) kept = &row;
  }
  std::vector<Row> out;
  for (Row& row : rows)
    if (!row.baseline || row.failed() || &row == kept) out.push_back(std::move(row));
  return out;
}

std::string drawn_text(const Record& record) {
  if (!record.drawn) return "";
  return fmt::format("drawn:{}, seed {}, {} shape{}", record.drawn->of_class, record.seed, record.drawn->count,
                     record.drawn->count == 1 ? "" : "s");
}

}  // namespace cairn::lab::record
