// Whether two records of the same measurement agree.
#pragma once

#include <string>
#include <vector>

#include "lab/record/summary.hpp"

namespace cairn::lab::record {

// One row that both records have. If both have a ratio to the same strongest baseline, the ratios are compared, since
// a lower clock slows the row and the baseline alike; else, and for that baseline itself, the medians.
struct Pair {
  Line before, after;
  bool by_ratio = false;
  measure::Interval interval_before, interval_after;  // of what is compared
  bool agree = false;                                 // the intervals overlap

  double change() const { return after.median_ms / before.median_ms - 1; }  // of the time: below 0 is faster
  // By how much it has become slower, by what is compared: 0.05 is 5 %. 0 where the two agree or the new one is faster.
  double slower() const;
};

struct Comparison {
  std::vector<Pair> pairs;               // in the order of the first record
  std::vector<std::string> differences;  // of device, software, method, commit: one line each
  std::vector<std::string> only;         // rows that just one has times of: one line each
  std::int64_t vanished = 0;             // of these, the first record's

  std::int64_t agreeing() const;
  double percent() const;  // of the pairs that agree; 0 if there are none
};

// Rows are matched by id, work and problem. The first record's intervals are widened by `within_percent` at each end.
// The pairs point into the records.
Comparison compare(const Record& before, const Record& after, double within_percent = 0);

}  // namespace cairn::lab::record
