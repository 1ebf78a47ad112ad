// What the samples of a record imply: one line for each row, computed, never stored and trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/statistics.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::record {

// No interval is stated narrower than this to either side: two runs of one command on an H200 differ by up to about
// this much where each of them is sure to a tenth of it.
inline constexpr double kLeastError = 0.005;

struct Line {
  const Row* row = nullptr;
  double median_ms = 0, min_ms = 0, spread = 0, deviation_ms = 0;
  measure::Interval interval_ms;        // of the median
  std::optional<double> tflops;         // of what multiplies
  std::optional<double> gbytes;         // compulsory bytes over the time; not of probes
  const Row* baseline = nullptr;        // the strongest of the problem: the smallest median
  std::optional<measure::Ratio> ratio;  // to it, above 1 where this row is faster; of the baselines themselves too
  std::optional<double> of_ceiling;     // share of what the measured ceilings allow, 0 … 1
  std::optional<double> of_datasheet;   // share of the datasheet's peak for the type, or bandwidth for a move
};

// The instruction that a row's product is held to, and what it was measured to do: mma.sync for tensor/, wgmma for
// hopper/, and for who does not say how it multiplies the faster of the two. No name where there is none, or it was
// not measured.
struct TensorPeak {
  std::string_view instruction;
  double tflops = 0;
};
TensorPeak tensor_peak(const Row& row, const Ceilings& ceilings);

// Of the rows that were timed, in the record's order. Pointers are into the record.
std::vector<Line> summarize(const Record& record);

}  // namespace cairn::lab::record
