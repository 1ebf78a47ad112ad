// Times contenders against each other on one problem:
//
//   verified     each contender is checked bit by bit at the size it is timed at; one that fails is not timed
//   interleaved  all contenders run in every round, at the same clocks; the order changes from round to round, so
//                that no contender always has the same position or predecessor (order.hpp)
//   cold         matrices rotate through twice the last-level cache, unless hot caches are asked for
//   device time  on a GPU a sample is one graph with its events inside, so that no host time is in it
//   long         a sample is long enough for the resolution of events; under sustained load, for power and heat
//   enough       until the median is known to half a percent or the time is up
//   checked      after the last round C is filled with NaN, one more sample is taken, and its result is checked; a
//                time below what the hardware can reach is a failure. If beta is not 0 a sample, which is many runs on
//                one C, has no simple result: a single run is checked
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
  Scalars scalars = {};  // of products; a move and a probe have none
  Cache cache = Cache::cold;
  StopRule stop;  // its seconds are each contender's own
  double warm_up_seconds = 0.25;
  double sample_ms = kSampleMs;  // of back-to-back runs, at least, in a sample
  int lead_in = 0;               // untimed work before each sample, as a multiple of the sample
  // Called with what is measured and the fraction done, 0 … 1. Returns false to stop; what was measured is kept.
  std::function<bool(const std::string& what, double fraction)> progress;
};

// The settings for sustained load. At its power limit a GPU lowers its clocks within tenths of a second: a sample of
// a millisecond on a cool GPU does not see that, and one right after another contender's sees the clocks of that one.
// So every sample keeps the device busy for kSustainedMs and follows kLeadIn times as much of the same work, the
// contenders run for half a second before the first round, and there are six rounds however long they take.
inline constexpr double kSustainedMs = 50;
inline constexpr int kLeadIn = 2;
Settings sustained(Settings settings);

// All contenders must be on one machine. Returns one row for each, in the order given; a contender that was not
// reached before a stop has neither samples nor a verdict.
std::vector<record::Row> bench(const std::vector<Contender*>& contenders, const Problem& problem,
                               const Settings& settings);

// The row of a contender before anything has been measured.
record::Row blank_row(const Contender& contender, const Problem& problem, const Scalars& scalars = {});
// Why it does not take it; empty if it does.
std::string refusal(const Contender& contender, const record::Row& row, const Problem& problem);
// What a row says of a right result.
std::string verified_word(const Contender& contender, const Problem& problem, const Scalars& scalars);

// The check before timing: a trial at the timed size for contenders that do the same work as `one`. On exact data, or,
// with an alpha or beta such as 0.3 that rounds, on real data, whose results must be within their bounds.
verify::Trial trial_at_size(const Contender& one, const Problem& problem, std::uint64_t seed,
                            const Scalars& scalars = {});
// Empty, or what was wrong with the result.
std::string wrong_at_size(Contender& contender, verify::Trial& trial);
std::string wrong_at_size(Contender& contender, const Problem& problem, std::uint64_t seed,
                          const Scalars& scalars = {});

}  // namespace cairn::lab::measure
