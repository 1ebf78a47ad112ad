// cairn profile: the hardware's counters of contenders, through Nsight Compute.
#include "lab/profile/profile.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/invocation.hpp"
#include "lab/measure/bench.hpp"
#include "lab/no_gpu.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/profile/child.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/progress.hpp"
#include "lab/record/record.hpp"
#include "lab/signals.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

using profile::Counter;
using profile::Values;

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  Scalars scalars;
  std::string device = "gpu";
  std::uint64_t seed = 1;
  bool hot = false, counters = false;
  std::string record;
  OutputOptions output;
  // What the profiler's child is told; see lab/profile/profile.hpp.
  bool child = false;
  std::string child_problem, child_build;
  std::int64_t child_runs = 1;
};

// Two counters whose ratio says more than either.
struct Quotient {
  std::string_view key, title, of, by;
};
constexpr Quotient kQuotients[] = {
    {"sectors_a_load", "sectors a global load", "global_load_sectors", "global_load_requests"},
    {"sectors_a_store", "sectors a global store", "global_store_sectors", "global_store_requests"},
    {"wavefronts_a_shared_load", "wavefronts a shared load", "shared_load_wavefronts", "shared_load_requests"},
    {"wavefronts_a_shared_store", "wavefronts a shared store", "shared_store_wavefronts", "shared_store_requests"},
};

Cell cell(const Values& values, std::string_view name) {
  const auto found = values.find(std::string(name));
  return found == values.end() ? Cell{} : Cell{found->second};
}

Cell quotient(const Values& values, const Quotient& q) {
  const auto of = values.find(std::string(q.of)), by = values.find(std::string(q.by));
  if (of == values.end() || by == values.end() || by->second == 0) return {};
  return of->second / by->second;
}

std::vector<Column> columns() {
  std::vector<Column> all = {{"id", "contender", Align::left},
                             {"problem", "problem"},
                             {"verified", "verified"},
                             {"kernel", "kernel"},
                             {"launches", "launches", Align::right, 0},
                             {"grid", "grid"},
                             {"block", "block"}};
  for (const Counter& one : profile::counters()) {
    all.push_back({std::string(one.name), std::string(one.title), Align::right, one.decimals});
  }
  for (const Quotient& q : kQuotients) {
    all.push_back({std::string(q.key), std::string(q.title), Align::right, 2, Audience::people});
  }
  return all;
}

std::vector<Cell> table_row(const record::Row& row, const Problem& problem, const profile::Profile& profile) {
  const Values& values = row.counters;
  std::vector<Cell> cells = {row.id,
                             problem.brief() + row.scalars.text(),
                             row.verified,
                             profile.kernels.empty() ? "" : profile.kernels[0],
                             cell(values, "launches"),
                             profile.grid,
                             profile.block};
  for (const Counter& one : profile::counters()) cells.push_back(cell(values, one.name));
  for (const Quotient& q : kQuotients) cells.push_back(quotient(values, q));
  return cells;
}

// A GPU's number, or a line that says what else there is.
int gpu_number(const std::string& text, const std::vector<std::string>& ids) {
  const int device = text == "auto" ? 0 : parse_device(text);
  if (device < 0) throw Error(kUsage, fmt::format("--device {} has no counters to read; use gpu or gpu:N", text));
  if (!has_gpu()) {
    check_ids_for_gpu(ids);
    throw Error(kLacking,
                "profile needs a GPU, and there is none here; cairn trace counts memory accesses on the emulator");
  }
  return device;
}

class Session {
 public:
  Session(const Options& options, int device, std::string ncu)
      : options_(options), device_(device), ncu_(std::move(ncu)), all_(profile::field(device, options.ids)) {
    record_.kind = "profile";
    record_.command = invocation();
    record_.created = record::now();
    record_.seed = options.seed;
    record_.build = record::this_build();
    record_.machine = all_.at(0)->machine()->facts();
    record_.method.cache = options.hot ? "hot" : "cold";
    record_.notes = {fmt::format("Nsight Compute {}", profile::ncu_version(ncu_))};
    report_.table.upright = true;
    report_.table.columns = columns();
  }

  void run(const std::vector<Problem>& problems) {
    for (const Problem& p : problems) check_memory(p, record_.machine.memory_bytes, 2);
    steps_ = problems.size() * all_.size();
    for (const Problem& asked : problems) {
      for (const auto& contender : all_) {
        if (interrupted()) break;
        add(*contender, contender->suited(asked));
        ++done_;
      }
    }
    if (interrupted()) record_.notes.emplace_back("interrupted: the rows are what was measured");
    std::vector<std::string> missing;
    missing.reserve(missing_.size());
    for (const std::string& name : missing_) {
      missing.push_back(fmt::format("{} ({})", name, profile::counter(name).metric));
    }
    if (!missing.empty()) {
      record_.notes.push_back(
          fmt::format("counters that this profiler does not have on this GPU: {}", fmt::join(missing, ", ")));
    }
  }

  const record::Record& record() const { return record_; }

  Report report() const {
    Report report = report_;
    report.before = {fmt::format("{} · {} · {} caches, clocks as they are", describe(record_.machine),
                                 record_.notes[0], record_.method.cache)};
    report.after.insert(report.after.end(), record_.notes.begin() + 1, record_.notes.end());
    return report;
  }

 private:
  void add(Contender& contender, const Problem& problem) {
    const std::string who = fmt::format("{}, {}", contender.id(), problem.brief());
    record::Row row = measure::blank_row(contender, problem, options_.scalars);
    row.refused = measure::refusal(contender, row, problem);
    if (!row.refused.empty()) {
      report_.after.push_back(fmt::format("not taken: {}: {}", who, row.refused));
      record_.rows.push_back(std::move(row));
      return;
    }
    if (!tick("verifying " + who)) return;
    const std::string wrong = measure::wrong_at_size(contender, problem, options_.seed, row.scalars);
    row.verified = wrong.empty() ? measure::verified_word(contender, problem, row.scalars) : wrong;
    if (!wrong.empty()) {
      report_.alarms.push_back(fmt::format("FAILED, not profiled: {}: {}", who, wrong));
      record_.rows.push_back(std::move(row));
      return;
    }
    row.details = contender.details();
    watch(row, problem, "profiling " + who);
  }

  void watch(record::Row& row, const Problem& problem, const std::string& what) {
    profile::Profile profile;
    try {
      profile = profile::profile(ncu_,
                                 {.id = row.id,
                                  .device = device_,
                                  .problem = problem,
                                  .build = "",
                                  .seed = options_.seed,
                                  .scalars = row.scalars},
                                 {.counters = {}, .cold = !options_.hot, .tick = [&] { return tick(what); }});
    } catch (const Error&) {
      if (interrupted()) return;  // the interruption is the cause of the error
      throw;
    }
    row.via = "profiler";
    row.runs = static_cast<std::int64_t>(profile.runs.size());
    row.sets = 1;
    row.counters = profile::median(profile.runs);
    const std::string kernels = fmt::format("{}", fmt::join(profile.kernels, ", "));
    row.details += (row.details.empty() ? "" : "; ") + kernels;
    for (const std::string& name : profile.missing) {
      if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(name);
    }
    report_.table.rows.push_back(table_row(row, problem, profile));
    if (profile.kernels.size() > 1) {
      report_.after.push_back(fmt::format("{}: a run launches {} kernels ({}); counters are of all of them", row.id,
                                          profile.kernels.size(), kernels));
    }
    record_.rows.push_back(std::move(row));
  }

  bool tick(const std::string& what) {
    progress_.show(what, static_cast<double>(done_) / static_cast<double>(steps_));
    return !interrupted();
  }

  const Options& options_;
  int device_;
  std::string ncu_;
  Contenders all_;
  record::Record record_;
  Report report_;
  std::vector<std::string> missing_;
  Progress progress_;
  std::size_t done_ = 0, steps_ = 1;
};

// Which counters there are; needs neither a GPU nor the profiler.
int list_counters(const Output& output) {
  Report report;
  report.table.columns = {{"name", "name in records", Align::left},
                          {"title", "what", Align::left},
                          {"metric", "Nsight Compute's name", Align::left}};
  for (const Counter& one : profile::counters()) {
    report.table.rows.push_back({std::string(one.name), std::string(one.title), std::string(one.metric)});
  }
  output.write(report);
  return kGood;
}

int run_as_child(const Options& options) {
  profile::Subject subject{.id = options.ids.at(0),
                           .device = parse_device(options.device),
                           .problem = {},
                           .build = options.child_build,
                           .seed = options.seed,
                           .runs = options.child_runs,
                           .also = {options.ids.begin() + 1, options.ids.end()},
                           .scalars = options.scalars};
  expect(parse(options.child_problem, subject.problem));
  profile::run_child(subject);
  return kGood;
}

int run(const Options& options) {
  if (options.child) return run_as_child(options);
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output keep(record_file);
  expect_distinct({options.output, record_file});
  if (options.counters) return list_counters(output);
  if (options.ids.empty()) throw Error(kUsage, "profile wants the contenders to watch (cairn list has their ids)");
  const auto problems = options.problem.problems();
  for (const Problem& p : problems) {
    if (measure::flops(p) == 0)
      throw Error(kUsage, fmt::format("--shape: {} is empty; sizes must be 1 or more", p.brief()));
  }
  check_scalars(options.scalars, problems);
  const int device = gpu_number(options.device, options.ids);
  const std::string ncu = profile::find_ncu();

  catch_interrupt();
  record::Record record;
  Report report;
  {
    Session session(options, device, ncu);
    session.run(problems);
    record = session.record();
    report = session.report();
  }  // and the progress line is gone
  if (!options.record.empty()) keep.write(record::to_json(record));
  if (output.format() == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", line);
    output.write(record::to_json(record));
  } else {
    output.write(report);
  }
  if (!report.alarms.empty()) return kFailed;
  if (interrupted()) return kInterrupted;
  return report.table.rows.empty() ? kLacking : kGood;
}

}  // namespace

Action profile_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"1024"}, {"nn"}, {"f32"}, {"row"}};
  verb.description(
      "Read the hardware's counters of contenders, with Nsight Compute\n"
      "On a machine with a GPU and ncu:  cairn profile simt/01 simt/02 --shape 1024\n"
      "Each is verified at the profiled size, run once unwatched and once with ncu looking; the counters are\n"
      "those of one run, all its kernels together. ncu is $CAIRN_NCU, or the one on the PATH, or the newest\n"
      "of the installed CUDA toolkits. Caches are emptied before each of its passes, unless --hot.");
  verb.footer(examples({"cairn profile --counters", "cairn profile --counters --format md"}));
  add_contender_ids(verb, options->ids);
  verb.add_flag("--counters", options->counters, "List the counters and what Nsight Compute calls them");
  add_problem_flags(verb, options->problem);
  add_scalar_flags(verb, options->scalars);
  add_device_flag(verb, options->device);
  add_seed_flag(verb, options->seed);
  verb.add_flag("--hot", options->hot, "Leave the caches as the run before left them");
  verb.add_option("--record", options->record, "Also keep a record with the counters in this JSON file");
  add_output_flags(verb, options->output);
  // For the child alone, hence in no group that --help shows.
  verb.add_flag("--child", options->child)->group("");
  verb.add_option("--problem", options->child_problem)->group("");
  verb.add_option("--build", options->child_build)->group("");
  verb.add_option("--runs", options->child_runs)->transform(whole_number(1, 1'000'000))->group("");
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
