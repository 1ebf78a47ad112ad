// cairn trace: what the traced emulator sees of a rung.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"
#include "lab/measure/work.hpp"
#include "lab/options.hpp"
#include "lab/progress.hpp"
#include "lab/trace/findings.hpp"
#include "lab/trace/html.hpp"
#include "lab/trace/json.hpp"
#include "lab/trace/run.hpp"
#include "lab/trace/show.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  std::uint64_t seed = 1;
  bool no_detectors = false, lines = false;
  std::string html, record;
  OutputOptions output;
};

// The rungs of the ladder; they are chosen by the cards of the plain build, which are the same.
Contenders chosen_rungs(const std::vector<std::string>& ids) {
  if (ids.empty()) throw Error(kUsage, "trace wants the rungs to watch (cairn list --device emu has their ids)");
  if (!trace::available()) throw Error(kLacking, "this build has no traced emulator");
  std::shared_ptr<runtime::Machine> machine;
  expect(runtime::open(parse_device("emu"), machine));
  Contenders all;
  const bool tiles = std::ranges::any_of(ids, [](const std::string& id) { return id.find('@') != id.npos; });
  add_rungs(machine, tiles, all);
  expect(select(ids, all));
  return all;
}

struct Seen {
  trace::Runs runs;
  std::vector<std::string> refused;
};

Seen watch(const Contenders& rungs, const std::vector<Problem>& problems, const Options& options) {
  Seen seen;
  Progress progress;
  const auto total = static_cast<std::int64_t>(rungs.size() * problems.size());
  std::int64_t done = 0;
  for (const Problem& asked : problems) {
    for (const auto& rung : rungs) {
      if (interrupted()) return seen;
      const Problem problem = rung->suited(asked);
      const std::string who = fmt::format("{}, {}", rung->id(), problem.brief());
      progress.show("tracing " + who, done++, total);
      if (const std::string why = rung->refuses(problem); !why.empty()) {
        seen.refused.push_back(fmt::format("not taken: {}: {}", who, why));
        continue;
      }
      seen.runs.push_back(
          trace::trace_contender(std::string(rung->id()), problem, options.seed, !options.no_detectors));
    }
  }
  return seen;
}

Report report_of(const Seen& seen, const Options& options, Format format) {
  Report report;
  const bool for_people = format == Format::table || format == Format::md;
  report.before = {"Counted by the traced emulator, of the source as written."};
  report.table = options.lines && !for_people ? trace::lines_table(seen.runs) : trace::counters_table(seen.runs);
  report.alarms = trace::alarms(seen.runs);
  if (options.lines && for_people) report.after = trace::lines_report(seen.runs, format);
  report.after.insert(report.after.end(), seen.refused.begin(), seen.refused.end());
  if (interrupted()) report.after.emplace_back("Interrupted: the columns are what was traced.");
  if (report.alarms.empty() && !seen.runs.empty()) {
    report.after.emplace_back(options.no_detectors ? "The detectors were off." : "The detectors found nothing.");
  }
  return report;
}

int run(const Options& options) {
  const Output output(options.output);
  const Output page(OutputOptions{"table", options.html, options.output.force});
  const Output keep(OutputOptions{"json", options.record, options.output.force});
  const auto problems = options.problem.problems();
  for (const Problem& p : problems) {
    if (measure::flops(p) == 0)
      throw Error(kUsage, fmt::format("--shape: {} is empty; sizes must be 1 or more", p.brief()));
  }
  const Contenders rungs = chosen_rungs(options.ids);
  for (const Problem& p : problems) check_memory(p, rungs.at(0)->machine()->facts().memory_bytes);

  catch_interrupt();
  const Seen seen = watch(rungs, problems, options);
  if (!options.record.empty()) keep.write(trace::to_json(seen.runs));
  if (!options.html.empty()) page.write(trace::to_html(seen.runs));
  const Report report = report_of(seen, options, output.format());
  if (output.format() == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", line);
    output.write(trace::to_json(seen.runs));
  } else {
    output.write(report);
  }
  if (!report.alarms.empty()) return kFailed;
  if (interrupted()) return kInterrupted;
  return seen.runs.empty() ? kLacking : kGood;
}

}  // namespace

Action trace_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"256"}, {"nn"}, {"f32"}, {"row"}};
  verb.description(
      "Watch every memory access of a rung in the emulator: counters, lines, faults\n"
      "Runs rungs of the ladder in the traced emulator, which needs no GPU. It counts requests, sectors,\n"
      "wavefronts and bank conflicts as Nsight Compute names them, for the kernel and for each line of its\n"
      "source, and looks for races, accesses out of bounds and memory nobody wrote. Exits with 1 if it\n"
      "found any. --html writes a page with pictures of the worst requests.");
  verb.footer(examples({"cairn trace simt/02 --shape 64", "cairn trace simt/01 simt/02 --shape 64 --lines"}));
  add_contender_ids(verb, options->ids);
  add_problem_flags(verb, options->problem);
  add_seed_flag(verb, options->seed);
  verb.add_flag("--no-detectors", options->no_detectors, "Count only: quicker, and finds no faults");
  verb.add_flag("--lines", options->lines, "Also the lines, worst first, and the source with counts in the margin");
  verb.add_option("--html", options->html, "Also write a page with the source and pictures to this file");
  verb.add_option("--record", options->record, "Also keep everything in this JSON file");
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
