#include "lab/baseline_search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/measure/statistics.hpp"

namespace cairn::lab {
namespace {

constexpr double kWarmUpSeconds = 0.05;  // an idle device is slow at first, and the first candidate would pay for it
constexpr std::size_t kFewest = 3;       // samples of a second look, however slow

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Entry {
  std::size_t index;
  std::unique_ptr<measure::Stopwatch> watch;
  double brief_ms;
  std::vector<double> samples;
};

class Search {
 public:
  Search(const measure::Ring& ring, const Effort& effort) : ring_(ring), effort_(effort) {}

  void first_look(const std::vector<measure::Run>& candidates) {
    std::string failure = "there is nothing to choose from";
    const auto start = Clock::now();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (i >= effort_.at_least && seconds_since(start) > effort_.first_seconds) break;
      try {
        enter(i, candidates[i]);
      } catch (const Error& error) {
        failure = error.what();
      }
    }
    if (entries_.empty()) throw Error(kFailed, fmt::format("no algorithm runs: {}", failure));
  }

  // Interleaved, so that a falling clock affects all of them alike.
  void second_look() {
    std::ranges::sort(entries_, {}, &Entry::brief_ms);
    std::erase_if(entries_, [&](const Entry& entry) { return entry.brief_ms > effort_.near * best_; });
    entries_.resize(std::min(entries_.size(), effort_.finalists));
    const auto start = Clock::now();
    for (std::size_t round = 0; entries_.size() > 1 && round < effort_.samples; ++round) {
      if (round >= kFewest && seconds_since(start) > effort_.second_seconds) break;
      for (Entry& entry : entries_) entry.samples.push_back(entry.watch->sample(turn_++));
    }
  }

  std::size_t entered() const { return entries_.size(); }
  std::size_t winner() const {
    return std::ranges::min_element(entries_, {},
                                    [](const Entry& entry) {
                                      return entry.samples.empty() ? entry.brief_ms : measure::median(entry.samples);
                                    })
        ->index;
  }

 private:
  void enter(std::size_t index, const measure::Run& run) {
    auto watch = std::make_unique<measure::Stopwatch>(ring_, run);
    if (entries_.empty()) {
      const auto start = Clock::now();
      do {
        (void)watch->sample(turn_++);
      } while (seconds_since(start) < kWarmUpSeconds);
    }
    double ms = watch->sample(turn_++);
    // The smaller of two samples: one disturbed sample must not eliminate a candidate.
    ms = std::min(ms, watch->sample(turn_++));
    best_ = std::min(best_, ms);
    entries_.push_back({index, std::move(watch), ms, {}});
  }

  const measure::Ring& ring_;
  const Effort& effort_;
  std::vector<Entry> entries_;
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t turn_ = 0;
};

}  // namespace

Fastest fastest(const measure::Ring& ring, const std::vector<measure::Run>& candidates, const Effort& effort) {
  Search search(ring, effort);
  search.first_look(candidates);
  const std::size_t timed = search.entered();
  search.second_look();
  return {search.winner(), timed};
}

}  // namespace cairn::lab
