// cairn bench: times contenders against each other and the baseline.
#include "lab/measure/bench.hpp"

#include <memory>

#include <fmt/format.h>

#include "lab/baseline_openblas.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/progress.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  std::string device = "auto";
  std::uint64_t seed = 1;
  double seconds = 5;
  OutputOptions output;
};

std::vector<Column> columns() {
  return {{"id", "id", Align::left},
          {"problem", "problem", Align::left},
          {"verified", "verified"},
          {"median_ms", "median ms", Align::right, 4},
          {"spread_percent", "spread %", Align::right, 1},
          {"min_ms", "min ms", Align::right, 4},
          {"gflops", "GFLOP/s", Align::right, 1},
          {"gbytes", "GB/s", Align::right, 1},
          {"ratio_text", fmt::format("speed vs {}", kOpenblasDirect), Align::right, 0, Audience::people},
          {"ratio", "", Align::right, 3, Audience::machines},
          {"ratio_low", "", Align::right, 3, Audience::machines},
          {"ratio_high", "", Align::right, 3, Audience::machines},
          {"samples", "samples"},
          {"settled", "settled"},
          {"samples_ms", "", Align::right, 3, Audience::machines}};
}

std::vector<Cell> row(const measure::Timing& timing, const Problem& problem, const measure::Timing* baseline) {
  std::vector<Cell> cells = {std::string(timing.contender->id()), problem.brief(),
                             timing.contender->work() == Work::probe ? Cell{} : Cell{timing.failure.empty()}};
  if (timing.timed()) {
    const auto& samples = timing.samples_ms;
    const double ms = measure::median(samples);
    std::vector<Cell> ratio(4);
    if (baseline != nullptr && baseline->timed()) {
      const auto [middle, interval] = measure::speedup(baseline->samples_ms, samples);
      ratio = {fmt::format("{:.3f} [{:.3f}, {:.3f}]", middle, interval.low, interval.high), middle, interval.low,
               interval.high};
    }
    const Work work = timing.contender->work();
    cells.insert(cells.end(), {ms, 100 * measure::spread(samples), measure::quantile(samples, 0),
                               work == Work::move ? Cell{} : Cell{measure::flops(problem) / ms / 1e6},
                               work == Work::probe ? Cell{} : Cell{measure::bytes(problem, work) / ms / 1e6}});
    cells.insert(cells.end(), ratio.begin(), ratio.end());
    cells.insert(cells.end(), {static_cast<std::int64_t>(samples.size()), timing.settled, samples});
  }
  cells.resize(columns().size());  // one that failed has no times
  return cells;
}

// The first GPU, or the CPU where there is none.
int fastest_device() {
  for (const runtime::Facts& facts : runtime::devices()) {
    if (facts.kind == runtime::Kind::gpu) return facts.device;
  }
  return -1;
}

// The chosen contenders, and the baseline whether it was named or not. With no ids all but cpu/reference, which
// is written to be right and would take most of the time.
Contenders field(const Options& options) {
  Contenders all;
  expect(contenders(options.device == "auto" ? fastest_device() : parse_device(options.device), all));
  if (options.ids.empty()) std::erase_if(all, [](const auto& c) { return c->id() == "cpu/reference"; });
  const auto machine = all.at(0)->machine();
  if (machine->facts().kind == runtime::Kind::emu) {
    throw Error(kUsage, "--device emu has no times to measure; use cpu or gpu, or cairn verify for its results");
  }
  if (auto direct = openblas_direct(machine)) all.insert(all.begin(), std::move(direct));
  expect(select(options.ids, all));
  const bool has_baseline = all.at(0)->id() == kOpenblasDirect;
  if (auto direct = has_baseline ? nullptr : openblas_direct(machine)) all.insert(all.begin(), std::move(direct));
  return all;
}

struct Outcome {
  std::int64_t timed = 0, failed = 0;
};

Outcome measure_problem(const std::vector<Contender*>& contenders, const Problem& problem,
                        const measure::Settings& settings, Report& report) {
  const auto timings = measure::bench(contenders, problem, settings);
  const measure::Timing* baseline = timings[0].contender->id() == kOpenblasDirect ? &timings[0] : nullptr;
  Outcome outcome;
  for (const measure::Timing& timing : timings) {
    const std::string who = fmt::format("{}, {}", timing.contender->id(), problem.brief());
    if (!timing.refused.empty()) {
      if (&timing != baseline) report.after.push_back(fmt::format("not taken: {}: {}", who, timing.refused));
      continue;
    }
    if (!timing.failure.empty())
      report.alarms.push_back(fmt::format("FAILED, not timed: {}: {}", who, timing.failure));
    if (timing.failure.empty() && !timing.timed()) continue;  // stopped before it was reached
    outcome.timed += timing.timed() ? 1 : 0;
    outcome.failed += timing.failure.empty() ? 0 : 1;
    report.table.rows.push_back(row(timing, problem, baseline));
  }
  return outcome;
}

int run(const Options& options) {
  const Output output(options.output);
  if (!(options.seconds > 0)) throw Error(kUsage, fmt::format("--seconds {} must be above 0", options.seconds));
  const Contenders all = field(options);
  std::vector<Contender*> contenders;
  for (const auto& contender : all) contenders.push_back(contender.get());
  const auto& facts = all[0]->machine()->facts();
  const auto problems = options.problem.problems();
  for (const Problem& p : problems) {
    if (measure::flops(p) == 0)
      throw Error(kUsage, fmt::format("--shape: {} has nothing to time; sizes must be 1 or more", p.brief()));
    check_memory(p, facts.memory_bytes);
  }

  Report report;
  report.table.columns = columns();
  catch_interrupt();
  Progress progress;
  measure::Settings settings;
  settings.seed = options.seed;
  settings.stop.seconds = options.seconds;
  settings.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    progress.show(what, done, total);
    return !interrupted();
  };
  Outcome sum;
  for (const Problem& problem : problems) {
    if (interrupted()) break;
    const auto add = [&](const std::vector<Contender*>& some, const Problem& p) {
      const Outcome outcome = measure_problem(some, p, settings, report);
      sum.timed += outcome.timed, sum.failed += outcome.failed;
    };
    // Products meet in the same rounds; what does not multiply has a problem of its own.
    std::vector<Contender*> products;
    for (Contender* contender : contenders) {
      if (contender->work() == Work::product) {
        products.push_back(contender);
      } else if (!interrupted()) {
        add({contender}, contender->suited(problem));
      }
    }
    if (!products.empty()) add(products, problem);
  }

  report.before = {fmt::format("{} · interleaved rounds, warm caches, inputs uniform in [-1, 1]", describe(facts))};
  if (interrupted()) report.after.push_back("Interrupted: the rows are what was measured.");
  output.write(report);
  if (sum.failed > 0) return kFailed;
  if (interrupted()) return kInterrupted;
  return sum.timed == 0 ? kLacking : kGood;
}

}  // namespace

Action bench_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"1024"}, {"nn"}, {"f32", "f64", "f16", "bf16"}, {"row"}};
  verb.description(
      "Time contenders against each other and the baseline\n"
      "In interleaved rounds, after checking each bit by bit at the timed size. Stops when the median is\n"
      "known to 0.5 % (settled) or the time is up. Spread is the middle half of the samples over their\n"
      "median; the ratio is the median of per-round ratios with its 95 % interval, above 1 where the\n"
      "contender is faster than the baseline. With no ID: all but cpu/reference.");
  verb.footer(examples({"cairn bench --shape 256 --type f32 --seconds 1",
                        "cairn bench cairn --shape 64:256:64 --type f32 --seconds 0.5",
                        "cairn bench --device cpu --shape 200x300x100 --layout nt --type bf16 --format csv"}));
  add_contender_ids(verb, options->ids);
  add_problem_flags(verb, options->problem);
  add_device_flag(verb, options->device);
  add_seed_flag(verb, options->seed);
  verb.add_option("--seconds", options->seconds, "The most time for one contender on one problem")
      ->capture_default_str();
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
