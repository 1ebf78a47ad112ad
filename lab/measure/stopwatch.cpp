#include "lab/measure/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "lab/exit.hpp"

namespace cairn::lab::measure {
namespace {

constexpr double kSlowMs = 100;  // a run that takes longer is not repeated more than needed
// If one pass over the ring takes longer, its memory time is so small that caches do not matter.
constexpr double kLongWalkMs = 1000;
constexpr std::int64_t kMostRuns = 20'000;  // in a sample: recording a graph of more nodes takes too long

using Clock = std::chrono::steady_clock;

}  // namespace

Stopwatch::Stopwatch(const Ring& ring, Run run, double sample_ms) : Stopwatch(ring) {
  run_ = std::move(run);
  runtime::Machine& machine = *ring_->machine();
  expect(machine.create_stream(stream_));
  expect(machine.create_event(from_));
  expect(machine.create_event(to_));
  choose_runs(sample_ms);
  record();
}

Stopwatch::Stopwatch(Stopwatch&& other) noexcept
    : ring_(other.ring_),
      run_(std::move(other.run_)),
      stream_(std::exchange(other.stream_, nullptr)),
      from_(std::exchange(other.from_, nullptr)),
      to_(std::exchange(other.to_, nullptr)),
      graphs_(std::exchange(other.graphs_, {})),
      why_not_(std::move(other.why_not_)),
      runs_(other.runs_),
      host_ms_(other.host_ms_) {}

Stopwatch::~Stopwatch() {
  runtime::Machine& machine = *ring_->machine();
  for (runtime::Graph graph : graphs_) machine.destroy_graph(graph);
  if (from_ != nullptr) machine.destroy_event(from_);
  if (to_ != nullptr) machine.destroy_event(to_);
  machine.destroy_stream(stream_);
}

double Stopwatch::sample(std::int64_t set, int lead_in) {
  runtime::Machine& machine = *ring_->machine();
  // The events keep the times of the last launch, which is the timed one.
  for (int i = 0; i <= lead_in; ++i) {
    if (in_graph()) {
      expect(machine.launch(graphs_[static_cast<std::size_t>(set + i) % graphs_.size()], stream_));
    } else {
      expect(call(runs_ == 1 ? set + i : 0));
    }
  }
  expect(machine.synchronize(stream_));
  double ms = 0;
  expect(machine.elapsed(from_, to_, ms));
  return ms / static_cast<double>(runs_);
}

// The first call includes what is loaded on first use, so the following ones are used: the shortest of them, since an
// interrupted one would make every sample too short.
void Stopwatch::choose_runs(double sample_ms) {
  runtime::Machine& machine = *ring_->machine();
  std::int64_t next = 0;
  const auto batch = [&](std::int64_t count) {  // milliseconds of the device and of the host, for one of `count`
    expect(machine.record(from_, stream_));
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < count; ++i) expect(run_(ring_->call(next++), stream_));
    host_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / static_cast<double>(count);
    expect(machine.record(to_, stream_));
    expect(machine.synchronize(stream_));
    double ms = 0;
    expect(machine.elapsed(from_, to_, ms));
    return ms / static_cast<double>(count);
  };
  double one = batch(1);
  if (one < kSlowMs) one = std::min(one, batch(1));
  // So that the launches overlap, as they do when many are enqueued.
  if (one < std::max(kSampleMs, sample_ms / 8)) one = std::min(one, batch(8));

  runs_ = std::min(kMostRuns, static_cast<std::int64_t>(std::ceil(sample_ms / std::max(one, 1e-4))));
  // Several runs use every set of the ring, or the next sample would find the first sets still in the cache.
  const std::int64_t sets = ring_->sets();
  if (runs_ > 1 && one * static_cast<double>(sets) <= kLongWalkMs) runs_ = (runs_ + sets - 1) / sets * sets;
}

// Enqueues one sample, events included.
Status Stopwatch::call(std::int64_t first) const {
  runtime::Machine& machine = *ring_->machine();
  if (auto s = machine.record(from_, stream_); !s.ok()) return s;
  for (std::int64_t i = 0; i < runs_; ++i) {
    if (auto s = run_(ring_->call(first + i), stream_); !s.ok()) return s;
  }
  return machine.record(to_, stream_);
}

void Stopwatch::record() {
  runtime::Machine& machine = *ring_->machine();
  const std::int64_t count = runs_ == 1 ? ring_->sets() : 1;
  for (std::int64_t first = 0; first < count; ++first) {
    Status s = machine.begin_capture(stream_);
    if (s.ok()) {
      const Status called = call(first);
      runtime::Graph graph = nullptr;
      s = machine.end_capture(stream_, graph);  // also ends one that broke
      if (s.ok()) graphs_.push_back(graph);
      if (!called.ok()) s = called;
    }
    if (s.ok()) continue;
    why_not_ = s.message();
    for (runtime::Graph graph : graphs_) machine.destroy_graph(graph);
    graphs_.clear();
    return;
  }
}

}  // namespace cairn::lab::measure
