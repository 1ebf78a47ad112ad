// Many problems in few numbers: how each contender stands against the strongest baseline over all problems of a type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/record/summary.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

struct Total {
  std::string id;
  std::string type;           // as --type writes it
  std::int64_t problems = 0;  // of the type that the contender was given
  std::int64_t compared =
      0;            // of these: it was timed, and so was a baseline. Nothing below is filled if there is none
  double mean = 0;  // geometric, of the ratios: half as fast once and twice as fast once is as fast
  double worst = 0, best = 0;               // ratios,
  std::string worst_problem, best_problem;  // and whose they are: the first, where several have the same
};

// One for each product's contender and type, in the record's order, if it was timed at all; baselines too, since one
// is not always the strongest. Empty where there is just one problem, which its row has said all about, or no
// baseline.
std::vector<Total> totals(const Record& record);

// For people; no columns where there are no totals.
Table totals_table(const Record& record);

}  // namespace cairn::lab::record
