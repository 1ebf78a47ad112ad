// What the ratios of many problems come to: the speed of each contender against the strongest baseline over all problems
// of a type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/record/summary.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

struct RatioOn {
  double ratio = 0;
  std::string problem;
};

struct Total {
  std::string id;
  std::string type;           // as --type writes it
  std::int64_t problems = 0;  // of the type that the contender was given
  std::int64_t compared = 0;  // problems on which it and a baseline were timed; if 0, nothing below is filled
  double mean = 0;            // geometric, of the ratios: half as fast once and twice as fast once make 1
  double median = 0, fifth_percentile = 0;  // of the ratios; between two ranks interpolated
  double worst = 0, best = 0;               // ratios,
  std::string worst_problem, best_problem;  // and their problems: the first, where several have the same ratio
  std::vector<RatioOn> worst_five;          // the lowest ratio first; of equals, the record's first
};

// One for each contender of products and type, in the record's order, if it was timed at all. Baselines too, since none
// of them is the strongest on every problem; in a drawn suite's record, which keeps the strongest of each, one that always
// is has none. Empty where there is no baseline, or one problem only. Problems for which `counts` is false are left out.
std::vector<Total> totals(const Record& record, const std::function<bool(const Problem&)>& counts = {});

// A table to read; no columns where there are no totals.
Table totals_table(const Record& record);

// The five worst problems of each type, of the library, or of the only contender that is no baseline: where several
// contenders are measured against each other, five of each would be a long table. No columns where a type has no more
// than five problems, which the record's own table shows as well.
Table worst_table(const Record& record);

}  // namespace cairn::lab::record
