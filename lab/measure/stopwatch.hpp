// Times one thing over a ring, the same way for ours and for theirs.
//
// A sample is the time from one event to another with `runs` runs between them. On a machine that records graphs the
// events and the runs are nodes of one graph: the host launches it and stands aside, so that neither its launches nor
// its libraries' deliberations are in the time. What cannot be recorded is called directly between two events.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/measure/ring.hpp"

namespace cairn::lab::measure {

using Run = std::function<Status(const Call&, runtime::Stream)>;

// Events tick about twice a microsecond: a sample this long is good to a thousandth.
inline constexpr double kSampleMs = 0.5;

class Stopwatch {
 public:
  // Runs it a few times to see how long it takes, and records as many runs as `sample_ms` need. The ring must outlive
  // the stopwatch. Throws Error if a run fails.
  Stopwatch(const Ring& ring, Run run, double sample_ms = kSampleMs);
  ~Stopwatch();
  Stopwatch(Stopwatch&&) noexcept;
  Stopwatch(const Stopwatch&) = delete;

  // Milliseconds a run. `turn` says which set of the ring is next where a sample is a single run: count it up with
  // every sample anyone takes on this ring. `lead_in` times as much goes before it, without a pause and untimed.
  double sample(std::int64_t turn, int lead_in = 0);

  std::int64_t runs() const { return runs_; }         // in a sample
  bool in_graph() const { return !graphs_.empty(); }  // else called directly, and `why_not` says why
  const std::string& why_not() const { return why_not_; }
  double host_ms() const { return host_ms_; }  // the host's time in one direct call

 private:
  // Only what must be given back; whatever throws after it leaves a whole object behind, which the destructor frees.
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
