// What the rows of a record imply, computed: one line for each row that was timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/statistics.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::record {

// No interval is stated narrower than this to either side of the median: two runs of one command on an H200 differ by
// up to about this much even where the interval within each run is ten times narrower.
inline constexpr double kLeastError = 0.005;

struct Line {
  const Row* row = nullptr;
  std::int64_t samples = 0, outliers = 0;
  double median_ms = 0, min_ms = 0, spread = 0;
  measure::Interval interval_ms;        // of the median
  std::optional<double> tflops;         // of products and probes
  std::optional<double> gbytes;         // compulsory bytes over the time; not of probes
  const Row* baseline = nullptr;        // the strongest of the problem: the smallest median
  std::optional<measure::Ratio> ratio;  // to it, above 1 where this row is faster; of the baselines themselves too
  std::optional<double> of_ceiling;     // fraction of what the measured ceilings allow, 0 … 1
  std::optional<double> of_datasheet;   // fraction of the datasheet's peak for the type, or bandwidth for a move
};

// The instruction whose measured peak a row's product is compared with: mma.sync for tensor/, wgmma for hopper/. A
// baseline's instruction is unknown, so the faster of the two is used. No name where neither was measured.
struct TensorPeak {
  std::string_view instruction;
  double tflops = 0;
};
TensorPeak tensor_peak(const Row& row, const Ceilings& ceilings);

// Of the rows that were timed, in the record's order. Pointers are into the record.
std::vector<Line> summarize(const Record& record);

}  // namespace cairn::lab::record
