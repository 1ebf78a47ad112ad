// Times contenders against each other on one problem, so that the numbers can be believed:
//
//   verified   each is checked bit by bit at the very size it is timed at; one that fails is not timed
//   fair       rounds are interleaved, so that all meet the same clocks, and in each the order is another, so that
//   nobody
//              always has the same place or the same neighbour
//   cold       matrices rotate through twice the last-level cache, unless asked for hot caches
//   alone      on a GPU a sample is one graph with its events inside: no host time is in it
//   long       a sample is long enough for the clock; or, where work that goes on is asked about, for power and heat
//   enough     until the median is known to half a percent or the time is up; every sample is kept
//   honest     after the last round C is filled with NaN, one more sample is taken, and what it left is looked at; a
//              time that the hardware cannot reach is a failure and not a record
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/contender.hpp"
#include "lab/measure/ring.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/work.hpp"
#include "lab/record/record.hpp"
#include "lab/verify/verify.hpp"

namespace cairn::lab::measure {

struct Settings {
  std::uint64_t seed = 1;
  Cache cache = Cache::cold;
  StopRule stop;  // its seconds are each contender's own
  double warm_up_seconds = 0.25;
  double sample_ms = kSampleMs;  // of back-to-back runs, at least, in a sample
  int lead_in = 0;               // samples' worth of the same work that go before each sample and are not timed
  // Told what is going on and how far it is, 0 … 1; returns false to stop, and what was measured stays.
  std::function<bool(const std::string& what, double share)> progress;
};

// The same for work that goes on for long. A GPU at its power limit sinks to lower clocks within tenths of a second;
// a sample of a millisecond on a cool one never meets them, and one that follows a neighbour's meets the neighbour's.
// So every sample keeps the device busy for kSustainedMs and follows on kLeadIn times as much of the same work, half
// a second goes before the first one, and there are six rounds however long they take.
inline constexpr double kSustainedMs = 50;
inline constexpr int kLeadIn = 2;
Settings sustained(Settings settings);

// All contenders must be on one machine. One row for each, in the order given; one that was not reached before a stop
// has neither samples nor a verdict.
std::vector<record::Row> bench(const std::vector<Contender*>& contenders, const Problem& problem,
                               const Settings& settings);

// The row of a contender before anything has been measured.
record::Row blank_row(const Contender& contender, const Problem& problem);

// What the bench does before timing: a trial of contenders that do the same work as `one`, on exact data, at the
// size.
verify::Trial trial_at_size(const Contender& one, const Problem& problem, std::uint64_t seed);
// Empty, or what was wrong with the result.
std::string wrong_at_size(Contender& contender, verify::Trial& trial);
std::string wrong_at_size(Contender& contender, const Problem& problem, std::uint64_t seed);

}  // namespace cairn::lab::measure
