// The experiment "timing": one set of rungs by three clocks. Caches are hot for all three, or they would not time the
// same thing.
//
//   events      the naive way: an event, a launch by the host, an event
//   stopwatch   what cairn bench uses: events and runs inside one graph (lab/measure/stopwatch.hpp)
//   profiler    the kernel's own time as Nsight Compute reads it
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/experiments/comparing.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/timing_findings.hpp"
#include "lab/measure/bench.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/profile/profile.hpp"

namespace cairn::lab {
namespace {

constexpr int kRuns = 30;
constexpr Shape kProduct = {1024, 1024, 1024};
constexpr Shape kMove = {1280, 1280, 1280};

// One launch between two events, as it is often done.
class EventClock {
 public:
  EventClock(const measure::Ring& ring, Contender& contender) : ring_(ring), contender_(contender) {
    expect(machine().create_event(from_));
    expect(machine().create_event(to_));
    (void)sample();  // loads what is loaded on first use
  }
  ~EventClock() {
    if (from_ != nullptr) machine().destroy_event(from_);
    if (to_ != nullptr) machine().destroy_event(to_);
  }
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  double sample() {
    double ms = 0;
    expect(machine().record(from_, nullptr));
    expect(contender_.run(ring_.call(0), nullptr));
    expect(machine().record(to_, nullptr));
    expect(machine().elapsed(from_, to_, ms));
    return ms;
  }

 private:
  runtime::Machine& machine() { return *ring_.machine(); }

  const measure::Ring& ring_;
  Contender& contender_;
  runtime::Event from_ = nullptr, to_ = nullptr;
};

struct Entry {
  std::string id;
  Problem problem;
  Clocked clocked;
  std::int64_t runs = 0;           // in a sample of the stopwatch
  Contender* contender = nullptr;  // none in a record
};

Clocked unclocked(std::string_view id) {
  return {short_id(id), id.starts_with("transpose/") ? "transposes" : "products", {}};
}

// The simt rungs 01–04 and the transposes.
bool is_asked(std::string_view id) {
  return id.starts_with("transpose/") || id.starts_with("simt/01") || id.starts_with("simt/02") ||
         id.starts_with("simt/03") || id.starts_with("simt/04");
}

std::vector<Entry> entries(const Contenders& all, const Conditions& conditions) {
  std::vector<Entry> chosen;
  for (const auto& contender : all) {
    if (!is_asked(contender->id())) continue;
    const Shape s = conditions.shape.value_or(contender->work() == Work::move ? kMove : kProduct);
    Entry entry{.id = std::string(contender->id()),
                .problem = contender->suited(Problem::packed(Type::f32, Op::none, Op::none, s.m, s.n, s.k)),
                .clocked = unclocked(contender->id()),
                .contender = contender.get()};
    if (entry.contender->refuses(entry.problem).empty()) chosen.push_back(std::move(entry));
  }
  return chosen;
}

// Times all rungs of a problem in interleaved rounds, so that the GPU's temperature affects them alike.
void time_here(std::vector<Entry*> group, const Conditions& conditions, double from, double to) {
  const measure::Ring ring(group[0]->contender->machine(), group[0]->problem, conditions.seed, measure::Cache::hot);
  std::vector<std::unique_ptr<EventClock>> events;
  std::vector<measure::Stopwatch> watches;
  for (Entry* entry : group) {
    Contender& contender = *entry->contender;
    expect(contender.prepare(entry->problem));
    events.push_back(std::make_unique<EventClock>(ring, contender));
    watches.emplace_back(ring, [&contender](const Call& call, runtime::Stream s) { return contender.run(call, s); });
    entry->runs = watches.back().runs();
  }
  std::int64_t turn = 0;
  for (int round = -1; round < kRuns; ++round) {  // the first does not count: the clocks wake up
    conditions.go_on("timing " + group[0]->problem.brief(), from + (to - from) * (round + 1) / (kRuns + 1));
    for (std::size_t i = 0; i < group.size(); ++i) {
      const double event = events[i]->sample(), watch = watches[i].sample(turn++);
      if (round < 0) continue;
      group[i]->clocked.us[kEvents].push_back(1e3 * event);
      group[i]->clocked.us[kStopwatch].push_back(1e3 * watch);
    }
  }
}

void time_all(std::vector<Entry>& all, const Conditions& conditions) {
  for (const char* name : {"products", "transposes"}) {
    std::vector<Entry*> group;
    for (Entry& entry : all) {
      if (entry.clocked.group == name) group.push_back(&entry);
    }
    const double from = name[0] == 'p' ? 0.1 : 0.3;
    if (!group.empty()) time_here(group, conditions, from, from + 0.2);
  }
}

// Why the profiler's column is empty; empty if it is not.
std::string profile_all(std::vector<Entry>& all, const Conditions& conditions) {
  try {
    const std::string ncu = profile::find_ncu();
    double share = 0.5;
    for (Entry& entry : all) {
      const std::string what = "profiling " + entry.clocked.name;
      const profile::Profile found =
          profile::profile(ncu,
                           {.id = entry.id,
                            .device = conditions.device,
                            .problem = entry.problem,
                            .build = "",
                            .seed = conditions.seed,
                            .runs = kRuns},
                           {.counters = {"kernel_time_us"},  // alone it needs one pass a launch
                            .cold = false,
                            .tick = [&] { return !conditions.progress || conditions.progress(what, share); }});
      for (const profile::Values& run : found.runs) entry.clocked.us[kProfiler].push_back(run.at("kernel_time_us"));
      share += 0.5 / static_cast<double>(all.size());
    }
  } catch (const Error& error) {
    conditions.go_on("", 1);  // if it was stopped, that is the reason
    for (Entry& entry : all) entry.clocked.us[kProfiler].clear();
    return error.what();
  }
  return "";
}

Table table(const std::vector<Entry>& all) {
  Table out;
  out.columns = {{"id", "rung", Align::left}, {"problem", "problem", Align::left}};
  for (const char* clock : kClocks) {
    out.columns.push_back({fmt::format("{}_us", clock), fmt::format("{} µs", clock), Align::right, 2});
    out.columns.push_back({fmt::format("{}_deviation_us", clock), "±", Align::right, 2});
  }
  out.columns.push_back({"stopwatch_runs", "runs a sample"});
  for (const char* clock : kClocks) {
    out.columns.push_back({fmt::format("{}_samples_us", clock), "", Align::right, 3, Audience::machines});
  }
  for (const Entry& entry : all) {
    std::vector<Cell> cells = {entry.id, entry.problem.brief()};
    for (const auto& samples : entry.clocked.us) {
      cells.resize(cells.size() + 2);  // absent where the clock is
      if (samples.empty()) continue;
      cells[cells.size() - 2] = measure::median(samples);
      cells.back() = measure::deviation(samples);
    }
    cells.emplace_back(entry.runs);
    for (const auto& samples : entry.clocked.us) cells.emplace_back(samples);
    out.rows.push_back(std::move(cells));
  }
  return out;
}

// The table and what follows from it.
void conclude(const std::vector<Entry>& all, const std::string& machine, Findings& findings) {
  findings.report.before = {
      machine,
      fmt::format("Medians and standard deviations of {} samples; caches hot; every rung verified at this size.",
                  kRuns),
      "Events: around one launch by the host. Stopwatch: inside a graph; a sample is the mean of its runs.",
      "Profiler: the kernel's own time, by Nsight Compute."};
  findings.report.table = table(all);
  std::vector<Clocked> clocked;
  clocked.reserve(all.size());
  for (const Entry& entry : all) clocked.push_back(entry.clocked);
  findings.conclusions = compare_clocks(clocked);
}

}  // namespace

Findings timing_experiment(const Conditions& conditions) {
  Contenders all;
  expect(contenders(conditions.device, all));
  std::vector<Entry> chosen = entries(all, conditions);
  Findings findings;
  std::erase_if(chosen, [&](const Entry& entry) {
    conditions.go_on("verifying " + entry.clocked.name, 0);
    const std::string wrong = measure::wrong_at_size(*entry.contender, entry.problem, conditions.seed);
    if (wrong.empty()) return false;
    findings.holds = false;
    findings.report.alarms.push_back(fmt::format("FAILED, not timed: {}: {}", entry.contender->id(), wrong));
    return true;
  });
  if (chosen.empty())
    throw Error(findings.holds ? kLacking : kFailed, "no contender here passed verification, so nothing was timed");

  time_all(chosen, conditions);
  const std::string missing = profile_all(chosen, conditions);
  const runtime::Facts& facts = all[0]->machine()->facts();
  conclude(chosen, fmt::format("{}, {}", facts.name, facts.software), findings);
  if (!missing.empty()) findings.notes.push_back("The profiler's clock is missing: " + missing + ".");
  return findings;
}

Findings recorded_timing(const record::LabRecord& record) {
  std::vector<Entry> all;
  for (const record::LabRow& row : record.rows) {
    Entry entry{.id = row.text("id"), .problem = row.problem("problem"), .clocked = unclocked(row.text("id"))};
    for (std::size_t clock = 0; clock < kClocks.size(); ++clock)
      entry.clocked.us[clock] = row.times(fmt::format("{}_samples_us", kClocks[clock]));
    entry.runs = row.integer("stopwatch_runs");
    all.push_back(std::move(entry));
  }
  Findings findings;
  conclude(all, record.machine, findings);
  return findings;
}

}  // namespace cairn::lab
