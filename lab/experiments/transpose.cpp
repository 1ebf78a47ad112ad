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
  std::string id;
  std::size_t level;
  Contender* contender = nullptr;  // none in a record
  record::Row cold = {}, hot = {};
  profile::Values counted = {};
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
      const std::string what = fmt::format("profiling {} at {}", entry.id, kFlags[entry.level]);
      const profile::Profile found = profile::profile(
          ncu,
          {.id = entry.id,
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
// Counters that conclusions are drawn from too, in the record alone.
constexpr const char* kKept[] = {"occupancy_achieved", "local_store_sectors", "shared_load_wavefronts",
                                 "dram_bytes_read", "dram_bytes_written"};

Table table(const std::vector<Entry>& all, double bytes) {
  Table out;
  out.columns = {{"id", "rung", Align::left},
                 {"ptxas", "ptxas", Align::left},
                 {"cold_us", "cold µs", Align::right, 2},
                 {"cold_gbytes", "GB/s", Align::right, 0},
                 {"hot_us", "hot µs", Align::right, 2},
                 {"hot_gbytes", "GB/s", Align::right, 0}};
  for (const Shown& one : kShown) out.columns.push_back({one.name, one.title, Align::right, one.decimals});
  for (const char* name : kKept) out.columns.push_back({name, "", Align::right, 3, Audience::machines});
  out.columns.push_back({"cold_samples_us", "", Align::right, 3, Audience::machines});
  out.columns.push_back({"hot_samples_us", "", Align::right, 3, Audience::machines});
  for (const Entry& entry : all) {
    std::vector<Cell> cells = {entry.id, kFlags[entry.level]};
    for (const record::Row* row : {&entry.cold, &entry.hot}) {
      const auto us = microseconds(*row);
      cells.resize(cells.size() + 2);  // absent, unless it was timed
      if (us.empty()) continue;
      cells[cells.size() - 2] = measure::median(us);
      cells.back() = bytes / measure::median(us) / 1e3;
    }
    const auto add_counter = [&](const char* name) {
      const auto found = entry.counted.find(name);
      cells.emplace_back();
      if (found != entry.counted.end()) cells.back() = found->second;
    };
    for (const Shown& one : kShown) add_counter(one.name);
    for (const char* name : kKept) add_counter(name);
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
    one.name = short_id(all[i].id);
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

// The table and what follows from it. `what` was transposed: "C = Aᵀ, f32 tn 1280x1280x1280", of so many bytes.
void conclude(const std::vector<Entry>& all, const std::string& machine, const std::string& what, double bytes,
              Findings& findings) {
  findings.report.before = {
      machine, what + ": the same files, assembled by ptxas at two levels, each verified at this size.",
      "Times as cairn bench takes them; counters of one run on cold caches, by Nsight Compute."};
  findings.report.table = table(all, bytes);
  findings.conclusions = compare_levels(side_by_side(all));
}

std::vector<double> milliseconds(std::vector<double> us) {
  for (double& time : us) time /= 1e3;
  return us;
}

Entry recorded_entry(const record::LabRow& row, std::size_t level) {
  Entry entry{.id = row.text("id"), .level = level};
  if (row.text("ptxas") != kFlags[level]) row.wrong("ptxas", fmt::format("must be {} here", kFlags[level]));
  entry.cold.samples_ms = milliseconds(row.times("cold_samples_us"));
  entry.hot.samples_ms = milliseconds(row.times("hot_samples_us"));
  entry.cold.verified = entry.hot.verified = "exact";
  const auto count = [&](const char* name) {
    if (const auto value = row.number_if(name)) entry.counted[name] = *value;
  };
  for (const Shown& one : kShown) count(one.name);
  for (const char* name : kKept) count(name);
  return entry;
}

}  // namespace

Findings transpose_experiment(const Conditions& conditions) {
  const Contenders built[] = {transposes_built(kBuilds[0], conditions.device),
                              transposes_built(kBuilds[1], conditions.device)};
  std::vector<Entry> all;
  for (std::size_t i = 0; i < built[0].size(); ++i) {
    for (std::size_t level = 0; level < 2; ++level) {
      Contender* one = built[level].at(i).get();
      all.push_back({.id = std::string(one->id()), .level = level, .contender = one});
    }
  }
  const Shape s = conditions.shape.value_or(kShape);
  const Problem problem = all.at(0).contender->suited(Problem::packed(Type::f32, Op::none, Op::none, s.m, s.n, s.k));

  time_all(all, problem, conditions);
  Findings findings;
  for (const Entry& entry : all) {
    for (const record::Row* row : {&entry.cold, &entry.hot}) {
      if (!row->failed()) continue;
      findings.holds = false;
      findings.report.alarms.push_back(
          fmt::format("FAILED: {} at {}: {}", row->id, kFlags[entry.level], row->verified));
    }
  }
  const std::string missing = count_all(all, problem, conditions);
  const runtime::Facts& facts = all[0].contender->machine()->facts();
  conclude(all, fmt::format("{}, {}", facts.name, facts.software), fmt::format("C = Aᵀ, {}", problem.brief()),
           measure::bytes(problem, Work::move), findings);
  if (!missing.empty()) findings.notes.push_back("There are no counters: " + missing + ".");
  return findings;
}

Findings recorded_transpose(const record::LabRecord& record) {
  std::vector<Entry> all;
  for (std::size_t i = 0; i < record.rows.size(); ++i) all.push_back(recorded_entry(record.rows[i], i % 2));
  // The table has no problem, but the bytes that its speeds are made of.
  const record::LabRow& first = record.rows.at(0);
  Findings findings;
  conclude(all, record.machine, "C = Aᵀ", first.number("cold_gbytes") * first.number("cold_us") * 1e3, findings);
  return findings;
}

}  // namespace cairn::lab
