// Times one contender over a ring, rungs and baselines in the same way.
//
// A sample is the time from one event to another with `runs` runs between them. On a machine that records graphs the
// events and the runs are nodes of one graph, so that neither the host's launches nor a library's heuristics are in
// the time. A contender that cannot be recorded is called directly between two events.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/measure/ring.hpp"

namespace cairn::lab::measure {

using Run = std::function<Status(const Call&, runtime::Stream)>;

// Events have a resolution of about half a microsecond: a sample this long is exact to a thousandth.
inline constexpr double kSampleMs = 0.5;

class Stopwatch {
 public:
  // Runs it a few times to see how long it takes, and records as many runs as `sample_ms` need. The ring must outlive
  // the stopwatch. Throws Error if a run fails.
  Stopwatch(const Ring& ring, Run run, double sample_ms = kSampleMs);
  ~Stopwatch();
  Stopwatch(Stopwatch&&) noexcept;
  Stopwatch(const Stopwatch&) = delete;

  // Milliseconds a run. Where a sample is a single run, `set` is the number of the set that it uses: the caller
  // counts it up with every sample of any contender on this ring. `lead_in` times as much work precedes it, untimed,
  // with no pause.
  double sample(std::int64_t set, int lead_in = 0);

  std::int64_t runs() const { return runs_; }         // in a sample
  bool in_graph() const { return !graphs_.empty(); }  // else called directly, and `why_not` says why
  const std::string& why_not() const { return why_not_; }
  double host_ms() const { return host_ms_; }  // the host's time in one direct call

 private:
  // The public constructor delegates to this one, so that the destructor frees everything if a later step throws.
  explicit Stopwatch(const Ring& ring) : ring_(&ring) {}

  void choose_runs(double sample_ms);
  void record();
  Status call(std::int64_t first) const;

  const Ring* ring_;
  Run run_;
  runtime::Stream stream_ = nullptr;
  runtime::Event from_ = nullptr, to_ = nullptr;
  std::vector<runtime::Graph> graphs_;  // one; or for each set one, where a sample is a single run
  std::string why_not_;
  std::int64_t runs_ = 1;
  double host_ms_ = 0;
};

}  // namespace cairn::lab::measure
