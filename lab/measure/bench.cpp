#include "lab/measure/bench.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/measure/order.hpp"
#include "lab/measure/outcome.hpp"
#include "lab/measure/peaks.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/vitals.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::measure {
namespace {

// One contender, ready to be timed.
struct Runner {
  Contender* contender;
  record::Row* row;
  Stopwatch watch;
  double seconds = 0;  // spent on it after the warm-up
};

std::string_view name_of(Work work) {
  switch (work) {
    case Work::product: return "product";
    case Work::move: return "move";
    case Work::probe: break;
  }
  return "probe";
}

class Race {
 public:
  Race(const Ring& ring, const Settings& settings)
      : ring_(ring), settings_(settings), vitals_(*ring.machine()), what_(ring.problem().brief()) {}

  void enter(Contender& contender, record::Row& row) {
    expect(contender.prepare(ring_.problem()));
    const auto run = [&contender](const Call& call, runtime::Stream stream) { return contender.run(call, stream); };
    Runner runner{&contender, &row, Stopwatch(ring_, run, settings_.sample_ms)};
    row.details = contender.details();
    row.via = runner.watch.in_graph() ? "graph" : "calls";
    row.runs = runner.watch.runs();
    row.sets = ring_.sets();
    row.host_us = 1e3 * runner.watch.host_ms();
    runners_.push_back(std::move(runner));
  }

  void run() {
    if (runners_.empty()) return;
    warm_up();
    timed_rounds();
    for (Runner& runner : runners_) runner.row->vitals = vitals_.summary();
  }

  std::vector<Runner>& runners() { return runners_; }

 private:
  double take(Runner& runner) {
    const double ms = runner.watch.sample(turn_++, settings_.lead_in);
    const double spent = ms * static_cast<double>(runner.watch.runs() * (1 + settings_.lead_in)) / 1e3;
    runner.seconds += spent;
    elapsed_ += spent;
    return ms;
  }

  std::vector<Runner*> in_order(std::size_t round) {
    std::vector<Runner*> all;
    for (const std::size_t i : order(runners_.size(), round)) all.push_back(&runners_[i]);
    return all;
  }

  // Untimed rounds, until the clocks have settled: a round takes as long as the one before, to a percent.
  void warm_up() {
    double before = 0;
    for (std::size_t round = 0; elapsed_ < 4 * settings_.warm_up_seconds; ++round) {
      const double start = elapsed_;
      for (Runner* runner : in_order(round)) (void)take(*runner);
      const double now = elapsed_ - start;
      vitals_.read();
      if (elapsed_ >= settings_.warm_up_seconds && std::abs(now - before) < 0.01 * now) break;
      before = now;
    }
    for (Runner& runner : runners_) runner.seconds = 0;
  }

  bool out_of_time(const Runner& runner) const {
    return measure::out_of_time(settings_.stop, runner.row->samples_ms.size(), runner.seconds);
  }

  // True when every contender has settled or run out of time.
  bool all_done() {
    for (Runner& runner : runners_) runner.row->settled = settled(settings_.stop, runner.row->samples_ms);
    return std::ranges::all_of(runners_, [&](const Runner& r) { return r.row->settled || out_of_time(r); });
  }

  // Every contender stays in the rounds until all have settled, so that ratios have many rounds in common; only a
  // contender that is out of time leaves earlier.
  void timed_rounds() {
    std::size_t next_look = settings_.stop.at_least;
    for (std::size_t round = 1;; ++round) {
      bool anyone = false;
      for (Runner* runner : in_order(round)) {
        if (out_of_time(*runner)) continue;
        anyone = true;
        runner->row->samples_ms.push_back(take(*runner));
      }
      vitals_.read();
      if (!anyone) break;
      if (round >= next_look) {
        next_look = round + round / 8 + 1;  // rarer and rarer, since the check sorts all samples
        if (all_done()) break;
      }
      if (!progress(round)) break;
    }
    (void)all_done();
  }

  bool progress(std::size_t round) const {
    if (!settings_.progress) return true;
    double spent = 0;
    for (const Runner& runner : runners_) spent = std::max(spent, runner.seconds / settings_.stop.seconds);
    const double counted = static_cast<double>(round) / static_cast<double>(round + settings_.stop.at_least);
    return settings_.progress(fmt::format("timing {}, round {}", what_, round),
                              std::min(1.0, std::max(spent, counted)));
  }

  const Ring& ring_;
  const Settings& settings_;
  VitalsLog vitals_;
  std::string what_;
  std::vector<Runner> runners_;
  std::int64_t turn_ = 0;
  double elapsed_ = 0;  // seconds of all samples
};

// Takes one more sample with the same stopwatch over a C of NaN and checks the result. A time below what the hardware
// allows means that less work was done than was counted.
void inspect(Race& race, Ring& ring, const Settings& settings) {
  for (Runner& runner : race.runners()) {
    const Work work = runner.contender->work();
    ring.reset();
    if (ring.scalars().beta == 0) {
      (void)runner.watch.sample(0);
    } else {
      expect(runner.contender->run(ring.call(0), nullptr));
      expect(ring.machine()->synchronize(nullptr));
    }
    if (std::string wrong = wrong_outcome(ring, work, settings.seed); !wrong.empty()) runner.row->verified = wrong;
    if (work != Work::probe) runner.row->first = first_values(ring);
    if (const std::string took = runner.contender->took(); !took.empty()) runner.row->details += ", " + took;
    if (runner.row->samples_ms.empty()) continue;
    const double floor = floor_ms(ring.machine()->facts(), ring.problem(), work,
                                  settings.cache == Cache::hot || ring.sets() == kMostSets);
    if (const double ms = median(runner.row->samples_ms); ms < floor) {
      runner.row->verified =
          fmt::format("{:.6f} ms is less than the {:.6f} ms that the hardware allows; the time is void", ms, floor);
    }
  }
}

// Whether integers give a result that is exact.
bool exact_data(const Problem& problem, const Scalars& scalars) {
  return scalars.are_exact() && verify::is_exact(problem.activation);
}

}  // namespace

verify::Trial trial_at_size(const Contender& one, const Problem& problem, std::uint64_t seed,
                            const Scalars& scalars) {
  verify::Case test;
  test.seed = seed;
  test.problem = problem;
  test.alpha = dispatch::rounded_scalar(scalars.alpha, problem.in);
  test.beta = dispatch::rounded_scalar(scalars.beta, problem.in);
  test.mode = exact_data(problem, scalars) ? verify::Mode::exact : verify::Mode::rounding;
  return {one.machine(), test, one.work()};
}

std::string wrong_at_size(Contender& contender, verify::Trial& trial) {
  const verify::Verdict verdict = trial.of(contender);
  return verdict.outcome == verify::Outcome::failed ? verdict.what : "";
}

std::string wrong_at_size(Contender& contender, const Problem& problem, std::uint64_t seed, const Scalars& scalars) {
  verify::Trial trial = trial_at_size(contender, problem, seed, scalars);
  return wrong_at_size(contender, trial);
}

Settings sustained(Settings settings) {
  settings.sample_ms = kSustainedMs;
  settings.lead_in = kLeadIn;
  settings.warm_up_seconds = 0.5;
  settings.stop.even_if_slow = 6;
  return settings;
}

record::Row blank_row(const Contender& contender, const Problem& problem, const Scalars& scalars) {
  record::Row row;
  row.id = std::string(contender.id());
  row.work = std::string(name_of(contender.work()));
  row.baseline = contender.is_baseline();
  row.problem = problem.full();
  if (contender.work() == Work::product) row.scalars = scalars;
  return row;
}

std::string refusal(const Contender& contender, const record::Row& row, const Problem& problem) {
  std::string why = contender.refuses(problem);
  return why.empty() ? contender.refuses_scalars(problem, row.scalars) : why;
}

std::string verified_word(const Contender& contender, const Problem& problem, const Scalars& scalars) {
  return contender.work() == Work::probe ? "never" : exact_data(problem, scalars) ? "exact" : "bound";
}

std::vector<record::Row> bench(const std::vector<Contender*>& contenders, const Problem& problem,
                               const Settings& settings) {
  std::vector<record::Row> rows;
  rows.reserve(contenders.size());
  for (const Contender* contender : contenders) rows.push_back(blank_row(*contender, problem, settings.scalars));
  std::vector<std::size_t> entered;
  std::optional<verify::Trial> trial;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Contender& contender = *contenders[i];
    const Scalars& scalars = rows[i].scalars;
    rows[i].refused = refusal(contender, rows[i], problem);
    if (!rows[i].refused.empty()) continue;
    if (settings.progress && !settings.progress(fmt::format("verifying {}, {}", contender.id(), problem.brief()), 0))
      return rows;
    if (!trial) trial.emplace(trial_at_size(contender, problem, settings.seed, scalars));
    const std::string wrong = wrong_at_size(contender, *trial);
    rows[i].verified = wrong.empty() ? verified_word(contender, problem, scalars) : wrong;
    if (wrong.empty()) entered.push_back(i);
  }
  if (entered.empty()) return rows;
  trial.reset();  // and its memory is free for the ring

  const Contender& first = *contenders[entered[0]];
  Ring ring(first.machine(), problem, settings.seed, settings.cache, first.work(), rows[entered[0]].scalars);
  Race race(ring, settings);
  for (const std::size_t i : entered) race.enter(*contenders[i], rows[i]);
  race.run();
  inspect(race, ring, settings);
  return rows;
}

}  // namespace cairn::lab::measure
