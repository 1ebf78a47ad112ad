// Times contenders against each other on one problem, so that the numbers can be believed:
//
//   verified   each is checked bit by bit at the very size it is timed at; one that fails is not timed
//   fair       rounds are interleaved, A B C A B C …, so that all meet the same clocks and the same neighbours
//   honest     C starts as NaN and is looked at after the last round: what was timed did write its result
//   enough     until the median is known to half a percent or the time is up; every sample is kept
//
// Buffers are reused from round to round: caches are warm.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/contender.hpp"
#include "lab/measure/statistics.hpp"

namespace cairn::lab::measure {

struct Timing {
  Contender* contender = nullptr;
  std::string refused;             // why it does not take the problem; nothing else is filled then
  std::string failure;             // what was wrong with its result; it was not timed, or its times are void
  std::vector<double> samples_ms;  // sample i is of round i
  bool settled = false;            // the stop rule's precision was reached

  bool timed() const { return refused.empty() && failure.empty() && !samples_ms.empty(); }
};

struct Settings {
  std::uint64_t seed = 1;
  StopRule stop;  // its seconds are each contender's own
  // Told what is going on; returns false to stop, and what was measured stays.
  std::function<bool(const std::string& what, std::int64_t done, std::int64_t total)> progress;
};

// All contenders must be on one machine. In the order given.
std::vector<Timing> bench(const std::vector<Contender*>& contenders, const Problem& problem,
                          const Settings& settings);

// 2·m·n·k, for every product of the batch.
double flops(const Problem& problem);

// What must be read and written at least once: A and C of a move, A, B and C of a product.
double bytes(const Problem& problem, Work work);

}  // namespace cairn::lab::measure
