// cairn climb: every contender once, verified and timed, from the plainest to the library's pick.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"
#include "lab/measure/bench.hpp"
#include "lab/options.hpp"
#include "lab/own_types.hpp"
#include "lab/progress.hpp"
#include "lab/signals.hpp"
#include "lab/trace/ratios.hpp"
#include "lab/trace/run.hpp"
#include "lab/verbs/verbs.hpp"
#include "lab/verify/verify.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  Scalars scalars;
  std::string device = "auto";
  std::uint64_t seed = 1;
  OutputOptions output;
};

// Counters shown for the emulator, whose times say nothing about a GPU.
constexpr const char* kShownRatios[] = {"global_load_sectors_per_request", "global_store_sectors_per_request",
                                        "tma_load_sectors_per_request", "shared_load_wavefronts_per_request"};

// Machines always get the same columns; people those that have something in them.
std::vector<Column> columns(bool counted) {
  const Audience counts = counted ? Audience::all : Audience::machines;
  return {{"id", "contender", Align::left},
          {"device", "on", Align::left},
          {"problem", "problem", Align::left},
          {"exact", "exact", Align::left},
          {"rounding", "error / bound", Align::right, 4},
          time_column("median_ms", "ms"),
          {"gflops", "GFLOP/s", Align::right, 1},
          {"gbytes", "GB/s", Align::right, 1},
          {kShownRatios[0], "sectors a load", Align::right, 2, counts},
          {kShownRatios[1], "sectors a store", Align::right, 2, counts},
          {kShownRatios[2], "sectors a TMA load", Align::right, 2, counts},
          {kShownRatios[3], "wavefronts a shared load", Align::right, 2, counts},
          {"barriers", "barriers", Align::right, 0, counts},
          {"bar", "speed", Align::left, 0, Audience::people}};
}

struct Step {
  std::string id, device;
  Problem problem;
  Scalars scalars;
  std::string failure;  // of either kind of data
  double rounding = 0;  // largest error / bound on real data
  double ms = 0;
  double gflops = 0, gbytes = 0;  // 0: says nothing
  bool probe = false;
  std::optional<emu::Counters> counters;  // of the traced emulator, on kCountedSize cubed
};

// Exact data finds a lost or doubled product; real data finds arithmetic that is less than it should be.
verify::Verdict checked(Contender& contender, const Step& step, std::uint64_t seed, verify::Mode mode) {
  verify::Case test;
  test.seed = seed;
  test.problem = step.problem;
  test.alpha = dispatch::rounded_scalar(step.scalars.alpha, step.problem.in);
  test.beta = dispatch::rounded_scalar(step.scalars.beta, step.problem.in);
  test.mode = mode;
  return verify::check(contender, test);
}

// A multiple of every rung's tile, and small enough to be quick; larger multiples have the same counts per request.
constexpr std::int64_t kCountedSize = 64;

// With the padding of the lines that was asked for, which decides where they begin in memory.
std::optional<emu::Counters> counted(const Contender& contender, const Step& step, std::uint64_t seed) {
  if (!trace::available() || dynamic_cast<const RungContender*>(&contender) == nullptr) return {};
  const Problem& asked = step.problem;
  Problem small = asked;
  small.m = small.n = small.k = kCountedSize;
  small.batch = 1;
  small.pack();
  small.lda += padding(asked.a()), small.ldb += padding(asked.b()), small.ldc += padding(asked.c());
  const trace::Traced run = trace::trace_contender(std::string(contender.id()), contender.suited(small), seed,
                                                   {.detectors = false}, step.scalars);
  return run.failure.empty() ? std::optional(trace::total(run.trace)) : std::nullopt;
}

Step climb_one(Contender& contender, const Problem& problem, const measure::Settings& settings) {
  const runtime::Facts& facts = contender.machine()->facts();
  Step step;
  step.id = std::string(contender.id()), step.device = device_name(facts), step.problem = problem;
  step.probe = contender.work() == Work::probe;
  if (contender.work() == Work::product) step.scalars = settings.scalars;
  const verify::Verdict real = checked(contender, step, settings.seed, verify::Mode::rounding);
  step.rounding = real.ratio;
  if (real.outcome == verify::Outcome::failed) step.failure = real.what;
  // How long the emulator takes says nothing about a GPU.
  if (facts.kind == runtime::Kind::emu) {
    if (step.scalars.are_exact()) {
      const verify::Verdict exact = checked(contender, step, settings.seed, verify::Mode::exact);
      if (exact.outcome == verify::Outcome::failed) step.failure = exact.what;
    }
    step.counters = counted(contender, step, settings.seed);
    return step;
  }
  // The bench begins with the exact check.
  const record::Row row = measure::bench({&contender}, problem, settings).at(0);
  if (row.failed()) step.failure = row.verified;
  if (row.timed()) {
    step.ms = measure::median(row.samples_ms);
    if (contender.work() != Work::move) step.gflops = measure::flops(problem) / step.ms / 1e6;
    if (!step.probe) step.gbytes = measure::bytes(problem, contender.work(), step.scalars) / step.ms / 1e6;
  }
  return step;
}

std::string bar(double share) {
  std::string blocks;
  for (int i = 0; i < static_cast<int>(std::lround(24 * share)); ++i) blocks += "▇";
  return blocks.empty() ? "▏" : blocks;
}

Cell counted_ratio(const Step& step, std::size_t which) {
  if (!step.counters) return {};
  const std::optional<double> value = trace::ratio(kShownRatios[which]).of(*step.counters);
  if (!value) return {};
  return *value;
}

Cell counted_barriers(const Step& step) {
  if (!step.counters) return {};
  return static_cast<std::int64_t>(step.counters->barriers);
}

void fill_table(const std::vector<Step>& steps, Table& table) {
  double fastest = 0;
  for (const Step& step : steps) fastest = std::max(fastest, step.gflops);
  const bool any = std::ranges::any_of(steps, [](const Step& step) { return step.counters.has_value(); });
  table.columns = columns(any);
  table.spare = {"gbytes",        "barriers", kShownRatios[1], kShownRatios[2], "bar",
                 kShownRatios[3], "rounding", "problem",       kShownRatios[0]};
  for (const Step& step : steps) {
    const auto or_nothing = [](double value) { return value > 0 ? Cell{value} : Cell{}; };
    const char* right = step.scalars.are_exact() ? "equal" : "within bounds";
    const char* exact = step.probe ? "a probe" : step.failure.empty() ? right : "WRONG";
    table.rows.push_back({step.id, step.device, step.problem.brief() + step.scalars.text(), exact,
                          or_nothing(step.rounding), or_nothing(step.ms), or_nothing(step.gflops),
                          or_nothing(step.gbytes), counted_ratio(step, 0), counted_ratio(step, 1),
                          counted_ratio(step, 2), counted_ratio(step, 3), counted_barriers(step),
                          step.gflops > 0 ? Cell{bar(step.gflops / fastest)} : Cell{}});
  }
}

struct Climbed {
  std::vector<Step> steps;
  std::vector<std::string> refused;

  std::ptrdiff_t failed() const {
    return std::ranges::count_if(steps, [](const Step& step) { return !step.failure.empty(); });
  }
};

Report report_of(const Climbed& climbed, const Contenders& chosen) {
  const std::vector<Step>& steps = climbed.steps;
  Report report;
  fill_table(steps, report.table);
  report.before = {
      fmt::format("The climb on {}.", describe_machines(chosen)),
      "Every element of every C is checked: bit by bit on exact data, against its error bound on real data."};
  if (std::ranges::any_of(steps, [](const Step& step) { return step.counters.has_value(); })) {
    report.before.push_back(fmt::format(
        "Sectors, wavefronts and barriers are the traced emulator's, at {0}x{0}x{0}. A load is a warp's; a "
        "TMA load is one instruction that copies a whole box.",
        kCountedSize));
  }
  for (const Step& step : steps) {
    if (!step.failure.empty())
      report.alarms.push_back(fmt::format("WRONG: {}, {}: {}", step.id, step.problem.brief(), step.failure));
  }
  report.after = climbed.refused;
  if (interrupted()) {
    report.after.emplace_back("Interrupted: the rows are what was done.");
  } else if (climbed.failed() == 0 && !steps.empty()) {
    report.after.push_back(
        fmt::format("All {} stand. Next: cairn verify, cairn bench, cairn lab layout.", steps.size()));
  }
  return report;
}

int run(const Options& options) {
  const Output output(options.output);
  const Contenders chosen = open_contenders(options.device, options.ids);
  const auto problems = choices(options.problem);
  for (const auto& choice : problems) {
    const Problem& p = choice.front();
    if (measure::flops(p) == 0)
      throw Error(kUsage, fmt::format("--shape: {} is empty; sizes must be 1 or more", p.brief()));
    for (const auto& contender : chosen) check_memory(p, contender->machine()->facts().memory_bytes);
    check_scalars(options.scalars, choice);
  }

  measure::Settings settings;
  settings.seed = options.seed;
  settings.scalars = options.scalars;
  settings.stop = {.at_least = 10, .relative_error = 0.05, .seconds = 1, .even_if_slow = 1};
  settings.warm_up_seconds = 0.05;
  const auto total = static_cast<std::int64_t>(problems.size() * chosen.size());
  Climbed climbed;
  std::int64_t done = 0;
  {
    catch_interrupt();
    const Unfinished unfinished([&] { output.write(report_of(climbed, chosen)); });
    Progress progress;
    for (const auto& choice : problems) {
      for (const auto& contender : chosen) {
        if (interrupted()) break;
        const Problem problem = chosen_by(*contender, choice);
        progress.show(fmt::format("climbing: {}, {}", contender->id(), problem.brief()), done++, total);
        if (const std::string why = contender->refuses(problem); !why.empty()) {
          const auto lock = unfinished.changing();
          climbed.refused.push_back(fmt::format("not taken: {}, {}: {}", contender->id(), problem.brief(), why));
          continue;
        }
        Step step = climb_one(*contender, problem, settings);
        const auto lock = unfinished.changing();
        climbed.steps.push_back(std::move(step));
      }
    }
  }  // and the progress line is gone

  output.write(report_of(climbed, chosen));
  if (climbed.failed() > 0) return kFailed;
  if (interrupted()) return kInterrupted;
  return climbed.steps.empty() ? kLacking : kGood;
}

}  // namespace

Action climb_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"512"}, {"nn"}, {}, {"row"}};
  verb.description(
      "Run every contender once, verified and timed: the whole ladder at a glance\n"
      "From the plainest to the library's pick; the first thing to run. Without --type each climbs in a type of\n"
      "its own: f32, or what its tensor cores take. The times are quick ones: bench measures with care.");
  verb.footer(examples({"cairn climb", "cairn climb --shape 300x200x100 --type f64,bf16",
                        "cairn climb 'cpu/*' --shape 128 --format md"}));
  add_contender_ids(verb, options->ids);
  add_problem_flags(verb, options->problem);
  add_scalar_flags(verb, options->scalars);
  add_device_flag(verb, options->device);
  add_seed_flag(verb, options->seed);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
