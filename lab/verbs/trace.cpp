// cairn trace: what the traced emulator sees of a rung, or of a kernel of the user's own.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "lab/contender_rung.hpp"
#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/measure/work.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/own_types.hpp"
#include "lab/progress.hpp"
#include "lab/signals.hpp"
#include "lab/trace/findings.hpp"
#include "lab/trace/html.hpp"
#include "lab/trace/json.hpp"
#include "lab/trace/own/arguments.hpp"
#include "lab/trace/own/run.hpp"
#include "lab/trace/run.hpp"
#include "lab/trace/show.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  Scalars scalars;
  std::uint64_t seed = 1;
  bool no_detectors = false, lines = false;
  std::string html, record;
  OutputOptions output;
  // Of a file of the user's.
  std::string kernel, grid, block;
  std::uint64_t shared = 0;
  std::vector<std::string> arguments, flags;
  std::vector<std::string> misplaced;  // flags that were given and are for the other kind
};

constexpr std::uint64_t kMostShared = 227 * 1024;  // bytes that a block of Hopper can have

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
  std::vector<std::string> refused;  // and what else there is to say
};

Seen watch(const Contenders& rungs, const std::vector<Alternatives>& problems, const Options& options) {
  Seen seen;
  Progress progress;
  const auto total = static_cast<std::int64_t>(rungs.size() * problems.size());
  std::int64_t done = 0;
  for (const Alternatives& choice : problems) {
    for (const auto& rung : rungs) {
      if (interrupted()) return seen;
      const Problem problem = chosen_by(*rung, choice);
      const std::string who = fmt::format("{}, {}", rung->id(), problem.brief());
      progress.show("tracing " + who, done++, total);
      if (const std::string why = rung->refuses(problem); !why.empty()) {
        seen.refused.push_back(fmt::format("not taken: {}: {}", who, why));
        continue;
      }
      seen.runs.push_back(trace::trace_contender(std::string(rung->id()), problem, options.seed,
                                                 {.detectors = !options.no_detectors, .merged_loads = true},
                                                 rung->work() == Work::product ? options.scalars : Scalars{}));
    }
  }
  return seen;
}

Report report_of(const Seen& seen, const Options& options, const Output& output) {
  const Format format = output.format();
  Report report;
  const bool for_people = format == Format::table || format == Format::md;
  report.before = {"Counted by the traced emulator, of the source as written."};
  const auto roots = trace::is_own(seen.runs) ? trace::own_roots() : trace::source_roots();
  report.table =
      options.lines && !for_people ? trace::lines_table(seen.runs, roots) : trace::counters_table(seen.runs);
  report.alarms = trace::alarms(seen.runs);
  if (options.lines && for_people) report.sections = trace::lines_report(seen.runs, roots);
  report.after.insert(report.after.end(), seen.refused.begin(), seen.refused.end());
  if (interrupted()) report.after.emplace_back("Interrupted: the columns are what was traced.");
  if (report.alarms.empty() && !seen.runs.empty()) {
    report.after.emplace_back(options.no_detectors ? "The detectors were off." : "The detectors found nothing.");
  }
  return report;
}

Seen watch_own(const Options& options) {
  if (options.ids.size() != 1) throw Error(kUsage, "trace takes one file at a time, without rungs");
  const std::string& file = options.ids[0];
  if (!options.misplaced.empty()) {
    throw Error(kUsage,
                fmt::format("{} is for rungs; {} takes --arg for each parameter", options.misplaced[0], file));
  }
  if (options.kernel.empty()) throw Error(kUsage, fmt::format("{}: --kernel is missing; write --kernel NAME", file));
  if (options.grid.empty() || options.block.empty()) {
    throw Error(
        kUsage,
        fmt::format("{}: --grid or --block is missing; write --grid BLOCKS --block THREADS, each X[,Y[,Z]]", file));
  }
  trace::OwnRun wanted{{file, options.kernel, options.flags}, {}};
  wanted.asked.grid = trace::parse_grid(options.grid), wanted.asked.block = trace::parse_block(options.block);
  wanted.asked.shared = options.shared, wanted.asked.seed = options.seed;
  wanted.asked.detectors = !options.no_detectors;
  for (const std::string& argument : options.arguments)
    wanted.asked.arguments.push_back(trace::parse_argument(argument, wanted.asked.arguments.size() + 1));

  catch_interrupt();
  trace::OwnSeen own = trace::trace_own(wanted, [] { return !interrupted(); });
  fmt::print(stderr, "{}", own.printed);
  Seen seen;
  seen.refused = trace::buffer_lines(own.run.buffers);
  seen.refused.insert(seen.refused.end(), own.notes.begin(), own.notes.end());
  seen.runs.push_back(std::move(own.run));
  return seen;
}

Seen watch_rungs(const Options& options) {
  if (!options.misplaced.empty()) {
    throw Error(kUsage, fmt::format("{} is for a kernel of your own: cairn trace FILE.cu", options.misplaced[0]));
  }
  const auto problems = choices(options.problem);
  for (const Alternatives& choice : problems) {
    if (measure::flops(choice.front()) == 0)
      throw Error(kUsage, fmt::format("--shape: {} is empty; sizes must be 1 or more", choice.front().brief()));
    check_scalars(options.scalars, choice);
  }
  const Contenders rungs = chosen_rungs(options.ids);
  for (const Alternatives& choice : problems)
    check_memory(choice.front(), rungs.at(0)->machine()->facts().memory_bytes);
  catch_interrupt();
  return watch(rungs, problems, options);
}

bool any_source(const std::vector<std::string>& ids) {
  return std::ranges::any_of(ids, [](const std::string& id) { return trace::is_source(id); });
}

int run(const Options& options) {
  const OutputOptions page_file = beside(options.output, "--html", options.html);
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output page(page_file), keep(record_file);
  expect_distinct({options.output, page_file, record_file});
  const Seen seen = any_source(options.ids) ? watch_own(options) : watch_rungs(options);
  if (!options.record.empty()) keep.write(trace::to_json(seen.runs));
  if (!options.html.empty()) {
    page.write(trace::to_html(seen.runs, trace::is_own(seen.runs) ? trace::own_roots() : trace::source_roots()));
  }
  const Report report = report_of(seen, options, output);
  if (output.format() == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", visible(line));
    output.write(trace::to_json(seen.runs));
  } else {
    output.write(report);
  }
  if (!report.alarms.empty()) return kFailed;
  if (interrupted()) return kInterrupted;
  return seen.runs.empty() ? kLacking : kGood;
}

void add_own_flags(CLI::App& verb, Options& options) {
  const auto add = [&](auto* option) { option->group("A kernel of your own"); };
  add(verb.add_option("--kernel", options.kernel, "The kernel's name, with its template arguments"));
  add(verb.add_option("--grid", options.grid, "Blocks: X, or X,Y or X,Y,Z"));
  add(verb.add_option("--block", options.block, "Threads of a block: X, or X,Y or X,Y,Z"));
  add(verb.add_option("--shared", options.shared, "Bytes of dynamic shared memory; 0 if not given")
          ->transform(whole_number(0, kMostShared)));
  add(verb.add_option("--arg", options.arguments, "A parameter: 5, i32:5, 'f32[1024]=random', null; once for each")
          ->allow_extra_args(false));
  add(verb.add_option("--flag", options.flags, "For the compiler, such as --flag=-DN=4 or --flag=-Ifolder")
          ->allow_extra_args(false));
}

}  // namespace

Action trace_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"256"}, {"nn"}, {}, {"row"}};
  verb.description(
      "Watch every memory access of a rung in the emulator: counters, lines, faults\n"
      "Runs rungs of the ladder in the traced emulator, which needs no GPU. It counts requests, sectors,\n"
      "wavefronts and bank conflicts as Nsight Compute names them, for the kernel and for each line of its\n"
      "source, and looks for races, accesses out of bounds and uninitialised memory. Exits with 1 if it\n"
      "found any. --html writes a page with pictures of the worst requests. Without --type each rung runs in a\n"
      "type of its own: f32, or what its tensor cores take.\n"
      "\n"
      "It does the same for a kernel of your own, which it compiles with g++:\n"
      "  cairn trace mine.cu --kernel 'tile<float, 32>' --grid 8,8 --block 32,32 --shared 0 \\\n"
      "    --arg 'f32[256x256]=random' --arg 'f32[256x256]' --arg 256\n"
      "An --arg for each parameter, in their order: a number (5, 1.5; or with its type, i32:5, u64:5, f32:1.5),\n"
      "a buffer TYPE[COUNT]=FILLING, or null. Types: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64. Fillings:\n"
      "random, zero, iota (0, 1, 2 …), a number, unset (uninitialised, for results; the default).\n"
      "docs/own_kernels.md says what cannot be emulated.");
  verb.footer(examples({"cairn trace simt/02 --shape 64", "cairn trace simt/01 simt/02 --shape 64 --lines",
                        "cairn trace simt/01 --shape 64 --lda 128"}));
  add_contender_ids(verb, options->ids);
  add_problem_flags(verb, options->problem);
  add_scalar_flags(verb, options->scalars);
  add_seed_flag(verb, options->seed);
  verb.add_flag("--no-detectors", options->no_detectors, "Count only: quicker, and finds no faults");
  verb.add_flag("--lines", options->lines, "Also the lines, worst first, and the source with counts in the margin");
  verb.add_option("--html", options->html, "Also write a page with the source and pictures to this file");
  verb.add_option("--record", options->record, "Also keep everything in this JSON file");
  add_output_flags(verb, options->output);
  add_own_flags(verb, *options);
  return [options, &verb] {
    const bool own = any_source(options->ids);
    for (const char* flag : {"--shape", "--layout", "--type", "--order", "--ld", "--lda", "--ldb", "--ldc", "--batch",
                             "--invariant", "--epilogue", "--scales", "--groups", "--alpha", "--beta"})
      if (own && verb.count(flag) > 0) options->misplaced.emplace_back(flag);
    for (const char* flag : {"--kernel", "--grid", "--block", "--shared", "--arg", "--flag"})
      if (!own && verb.count(flag) > 0) options->misplaced.emplace_back(flag);
    return run(*options);
  };
}

}  // namespace cairn::lab
