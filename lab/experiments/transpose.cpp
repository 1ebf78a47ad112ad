// The experiment "transpose": the four transposes with ptxas at -O0 and at -O3, timed as cairn bench times and, where
// there is a profiler, counted. A public note saw the first two change places between such builds.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/transpose_builds.hpp"
#include "lab/experiments/transpose_findings.hpp"
#include "lab/measure/bench.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/profile/profile.hpp"

namespace cairn::lab {
namespace {

constexpr Shape kShape = {1280, 1280, 1280};
constexpr const char* kBuilds[] = {"o0", "o3"};
constexpr const char* kFlags[] = {"-O0", "-O3"};

// One transpose by one build.
struct Entry {
  Contender* contender;
  std::size_t level;
  record::Row cold, hot;
  profile::Values counted;
};

std::vector<double> microseconds(const record::Row& row) {
  std::vector<double> us;
  for (const double ms : row.timed() ? row.samples_ms : std::vector<double>{}) us.push_back(1e3 * ms);
  return us;
}

// All entries in the same rounds, first with cold caches, then with hot ones.
void time_all(std::vector<Entry>& all, const Problem& problem, const Conditions& conditions) {
  std::vector<Contender*> contenders;
  contenders.reserve(all.size());
  for (const Entry& entry : all) contenders.push_back(entry.contender);
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot}) {
    const bool hot = cache == measure::Cache::hot;
    measure::Settings settings;
    settings.seed = conditions.seed;
    settings.cache = cache;
    settings.progress = [&](const std::string& what, double share) {
      return !conditions.progress || conditions.progress(what, 0.25 * (share + (hot ? 1 : 0)));
    };
    const auto rows = measure::bench(contenders, problem, settings);
    conditions.go_on("timed", hot ? 0.5 : 0.25);
    for (std::size_t i = 0; i < rows.size(); ++i) (hot ? all[i].hot : all[i].cold) = rows[i];
  }
}

// Why there are no counters; empty if there are.
std::string count_all(std::vector<Entry>& all, const Problem& problem, const Conditions& conditions) {
  try {
    const std::string ncu = profile::find_ncu();
    double share = 0.5;
    for (Entry& entry : all) {
      const std::string what = fmt::format("profiling {} at {}", entry.contender->id(), kFlags[entry.level]);
      const profile::Profile found = profile::profile(
          ncu,
          {.id = std::string(entry.contender->id()),
           .device = conditions.device,
           .problem = problem,
           .build = kBuilds[entry.level],
           .seed = conditions.seed},
          {.counters = {}, .tick = [&] { return !conditions.progress || conditions.progress(what, share); }});
      entry.counted = profile::median(found.runs);
      share += 0.5 / static_cast<double>(all.size());
    }
  } catch (const Error& error) {
    conditions.go_on("", 1);  // if it was stopped, that is the reason
    for (Entry& entry : all) entry.counted.clear();
    return error.what();
  }
  return "";
}

// Counters that the table shows.
struct Shown {
  const char *name, *title;
  int decimals;
};
constexpr Shown kShown[] = {
    {"kernel_time_us", "profiler µs", 2},
    {"registers", "registers", 0},
    {"inst_executed", "instructions", 0},
    {"global_load_sectors", "load sectors", 0},
    {"global_store_sectors", "store sectors", 0},
    {"local_load_sectors", "local sectors", 0},
    {"l1_hit_rate", "L1 hit %", 1},
    {"l2_hit_rate", "L2 hit %", 1},
};

Table table(const std::vector<Entry>& all, const Problem& problem) {
  Table out;
  out.columns = {{"id", "rung", Align::left},
                 {"ptxas", "ptxas", Align::left},
                 {"cold_us", "cold µs", Align::right, 2},
                 {"cold_gbytes", "GB/s", Align::right, 0},
                 {"hot_us", "hot µs", Align::right, 2},
                 {"hot_gbytes", "GB/s", Align::right, 0}};
  for (const Shown& one : kShown) out.columns.push_back({one.name, one.title, Align::right, one.decimals});
  out.columns.push_back({"cold_samples_us", "", Align::right, 3, Audience::machines});
  out.columns.push_back({"hot_samples_us", "", Align::right, 3, Audience::machines});
  const double bytes = measure::bytes(problem, Work::move);
  for (const Entry& entry : all) {
    std::vector<Cell> cells = {std::string(entry.contender->id()), kFlags[entry.level]};
    for (const record::Row* row : {&entry.cold, &entry.hot}) {
      const auto us = microseconds(*row);
      cells.resize(cells.size() + 2);  // absent, unless it was timed
      if (us.empty()) continue;
      cells[cells.size() - 2] = measure::median(us);
      cells.back() = bytes / measure::median(us) / 1e3;
    }
    for (const Shown& one : kShown) {
      const auto found = entry.counted.find(one.name);
      cells.emplace_back();
      if (found != entry.counted.end()) cells.back() = found->second;
    }
    for (const record::Row* row : {&entry.cold, &entry.hot}) cells.emplace_back(microseconds(*row));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

// Both levels of a transpose side by side; the entries alternate, -O0 first.
std::vector<Levelled> side_by_side(const std::vector<Entry>& all) {
  std::vector<Levelled> out;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    Levelled one;
    one.name = short_id(all[i].contender->id());
    for (std::size_t level = 0; level < 2; ++level) {
      const Entry& entry = all[i + level];
      one.cold[level] = {one.name, microseconds(entry.cold)};
      one.hot[level] = {one.name, microseconds(entry.hot)};
      one.counted[level] = entry.counted;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Findings transpose_experiment(const Conditions& conditions) {
  const Contenders built[] = {transposes_built(kBuilds[0], conditions.device),
                              transposes_built(kBuilds[1], conditions.device)};
  std::vector<Entry> all;
  for (std::size_t i = 0; i < built[0].size(); ++i) {
    for (std::size_t level = 0; level < 2; ++level) all.push_back({built[level].at(i).get(), level, {}, {}, {}});
  }
  const Shape s = conditions.shape.value_or(kShape);
  const Problem problem = all.at(0).contender->suited(Problem::packed(Type::f32, Op::none, Op::none, s.m, s.n, s.k));

  time_all(all, problem, conditions);
  Findings findings;
  Report& report = findings.report;
  for (const Entry& entry : all) {
    for (const record::Row* row : {&entry.cold, &entry.hot}) {
      if (!row->failed()) continue;
      findings.holds = false;
      report.alarms.push_back(fmt::format("FAILED: {} at {}: {}", row->id, kFlags[entry.level], row->verified));
    }
  }
  const std::string missing = count_all(all, problem, conditions);
  const runtime::Facts& facts = all[0].contender->machine()->facts();
  report.before = {
      fmt::format("{}, {}", facts.name, facts.software),
      fmt::format("C = Aᵀ, {}: the same files, assembled by ptxas at two levels, each verified at this size.",
                  problem.brief()),
      "Times as cairn bench takes them; counters of one run on cold caches, by Nsight Compute."};
  report.table = table(all, problem);
  findings.conclusions = compare_levels(side_by_side(all));
  if (!missing.empty()) findings.conclusions.push_back("There are no counters: " + missing + ".");
  report.after = wrapped(findings.conclusions);
  return findings;
}

}  // namespace cairn::lab
