#include "lab/measure/bench.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/measure/inputs.hpp"
#include "lab/verify/verify.hpp"

namespace cairn::lab::measure {
namespace {

using runtime::Buffer;
using runtime::Machine;

constexpr double kWarmUpSeconds = 0.1;

class Event {
 public:
  explicit Event(Machine& machine) : machine_(machine) { expect(machine_.create_event(event_)); }
  ~Event() { machine_.destroy_event(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { expect(machine_.record(event_, nullptr)); }
  double milliseconds_until(const Event& later) const {
    double ms = 0;
    expect(machine_.elapsed(event_, later.event_, ms));
    return ms;
  }

 private:
  Machine& machine_;
  runtime::Event event_ = nullptr;
};

// Elements from the first to one past the last, all batches included.
std::int64_t extent(const Stored& matrix, std::int64_t batch, std::int64_t stride) {
  return matrix.span() == 0 || batch == 0 ? 0 : (batch - 1) * stride + matrix.span();
}

Buffer upload(const std::shared_ptr<Machine>& machine, const std::vector<std::byte>& host) {
  Buffer buffer;
  expect(Buffer::make(machine, host.size(), buffer));
  expect(machine->copy_in(buffer.data(), host.data(), host.size(), nullptr));
  return buffer;
}

// One contender with its own C.
struct Runner {
  Timing* timing;
  Call call;
  Buffer C;
  double seconds = 0;  // in timed runs
};

std::string verify_at_size(Contender& contender, const Problem& problem, std::uint64_t seed) {
  verify::Case test;
  test.seed = seed;
  test.problem = problem;
  test.mode = verify::Mode::exact;
  const verify::Verdict verdict = verify::check(contender, test);
  return verdict.outcome == verify::Outcome::failed ? verdict.what : "";
}

double time_once(Runner& runner, Event& from, Event& to) {
  from.record();
  expect(runner.timing->contender->run(runner.call, nullptr));
  to.record();
  return from.milliseconds_until(to);
}

void warm_up(Runner& runner, Event& from, Event& to) {
  double seconds = 0;
  for (int i = 0; i == 0 || (i < 10 && seconds < kWarmUpSeconds); ++i) seconds += time_once(runner, from, to) / 1e3;
}

// A NaN left of the poison means an element that was never written: finite inputs make no NaN.
void inspect(Runner& runner, Machine& machine) {
  if (runner.timing->contender->work() == Work::probe) return;  // writes what it likes
  const Problem& p = runner.call.problem;
  std::vector<std::byte> host(runner.C.bytes());
  expect(machine.copy_out(host.data(), runner.C.data(), host.size(), nullptr));
  expect(machine.synchronize(nullptr));
  const std::int64_t found = first_nan(p.out, host.data(), extent(p.c(), p.batch, p.stride_c));
  if (found >= 0) runner.timing->failure = fmt::format("element {} of the timed C was not written", found);
}

// Every contender stays in the rounds until all have settled, so that ratios have many rounds in common; only one
// that is out of time leaves before.
void run_rounds(std::vector<Runner>& runners, Machine& machine, const Settings& settings, const std::string& what) {
  Event from(machine), to(machine);
  for (Runner& runner : runners) warm_up(runner, from, to);
  std::size_t next_look = settings.stop.at_least;
  for (std::size_t round = 1;; ++round) {
    bool anyone = false;
    for (Runner& runner : runners) {
      auto& samples = runner.timing->samples_ms;
      if (out_of_time(settings.stop, samples.size(), runner.seconds)) continue;
      anyone = true;
      samples.push_back(time_once(runner, from, to));
      runner.seconds += samples.back() / 1e3;
    }
    if (!anyone) break;
    if (round >= next_look) {
      next_look = round + round / 8 + 1;  // looking sorts all samples: not after every round of a short product
      for (Runner& runner : runners) runner.timing->settled = settled(settings.stop, runner.timing->samples_ms);
      const auto done = [&](const Runner& r) {
        return r.timing->settled || out_of_time(settings.stop, r.timing->samples_ms.size(), r.seconds);
      };
      if (std::all_of(runners.begin(), runners.end(), done)) break;
    }
    const auto expected = std::max(round, settings.stop.at_least);
    if (settings.progress && !settings.progress("timing " + what + ", round", static_cast<std::int64_t>(round),
                                                static_cast<std::int64_t>(expected))) {
      break;
    }
  }
  for (Runner& runner : runners) {
    runner.timing->settled = settled(settings.stop, runner.timing->samples_ms);
    inspect(runner, machine);
  }
}

}  // namespace

double flops(const Problem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}

double bytes(const Problem& p, Work work) {
  const auto of = [](std::int64_t rows, std::int64_t cols, Type type) {
    return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(size_of(type));
  };
  const double inputs = of(p.m, p.k, p.in) + (work == Work::move ? 0 : of(p.k, p.n, p.in));
  return static_cast<double>(p.batch) * (inputs + of(p.m, p.n, p.out));
}

std::vector<Timing> bench(const std::vector<Contender*>& contenders, const Problem& problem,
                          const Settings& settings) {
  std::vector<Timing> timings(contenders.size());
  const std::string what = problem.brief();
  const auto count = static_cast<std::int64_t>(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    timings[i].contender = contenders[i];
    timings[i].refused = contenders[i]->refuses(problem);
    if (!timings[i].refused.empty()) continue;
    if (settings.progress && !settings.progress("verifying " + what, static_cast<std::int64_t>(i), count))
      return timings;
    timings[i].failure = verify_at_size(*contenders[i], problem, settings.seed);
  }

  std::vector<Runner> runners;
  Buffer A, B;
  for (Timing& timing : timings) {
    if (!timing.refused.empty() || !timing.failure.empty()) continue;
    const auto& machine = timing.contender->machine();
    if (runners.empty()) {
      A = upload(machine,
                 uniform(problem.in, extent(problem.a(), problem.batch, problem.stride_a), 3 * settings.seed));
      B = upload(machine,
                 uniform(problem.in, extent(problem.b(), problem.batch, problem.stride_b), 3 * settings.seed + 1));
    }
    Runner runner{&timing, {problem, 1, A.data(), B.data(), 0, nullptr}, {}};
    const std::int64_t elements = extent(problem.c(), problem.batch, problem.stride_c);
    expect(Buffer::make(machine, static_cast<std::size_t>(elements * size_of(problem.out)), runner.C));
    expect(machine->fill(runner.C.data(), 0xff, runner.C.bytes(), nullptr));
    runner.call.C = runner.C.data();
    expect(timing.contender->prepare(problem));
    runners.push_back(std::move(runner));
  }
  if (!runners.empty()) run_rounds(runners, *runners[0].timing->contender->machine(), settings, what);
  return timings;
}

}  // namespace cairn::lab::measure
