// cairn run: a whole CUDA program on the emulator.
#include "lab/program/run.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/program/driver.hpp"
#include "lab/program/launches_table.hpp"
#include "lab/program/nvcc_options.hpp"
#include "lab/program/workplace.hpp"
#include "lab/signals.hpp"
#include "lab/trace/findings.hpp"
#include "lab/trace/html.hpp"
#include "lab/trace/json.hpp"
#include "lab/trace/run.hpp"
#include "lab/trace/show.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::string program;
  std::vector<std::string> arguments, flags;
  std::uint64_t seed = 1;
  bool check = false, count = false, lines = false;
  std::string html, record;
  OutputOptions output;

  bool watches() const { return check || count || lines || !html.empty() || !record.empty(); }
};

// The program to run: the one that was named, or one that is made of the source that was named.
struct Program {
  std::unique_ptr<program::Workplace> place;  // of what is made
  std::string file;
};

Program program_of(const Options& options) {
  Program made;
  made.file = options.program;
  if (!program::is_source(options.program)) {
    if (!options.flags.empty())
      throw Error(kUsage, fmt::format("--flag is for a source; {} is compiled already", options.program));
    return made;
  }
  made.place = std::make_unique<program::Workplace>();
  made.file = *made.place / std::filesystem::path(options.program).stem().string();
  std::vector<std::string> words = {options.program, "-o", made.file};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  const int code = program::run_nvcc(words);
  if (code != kGood)
    throw Error(code == kLacking ? kLacking : kUsage, fmt::format("{} does not compile", options.program));
  return made;
}

Report report_of(const Options& options, const program::Watched& seen, const trace::Runs& runs,
                 const Output& output) {
  const bool for_people = output.format() == Format::table || output.format() == Format::md;
  Report report;
  if (options.count || options.lines || !for_people) {
    report.before = {"Counted by the traced emulator, of the source as written."};
    report.table = options.lines && !for_people ? trace::lines_table(runs, trace::own_roots())
                                                : program::launches_table(seen.trace);
  }
  report.alarms = trace::alarms(runs);
  if (options.lines && for_people) report.sections = trace::lines_report(runs, trace::own_roots());
  if (!seen.answered) {
    report.after.push_back(
        seen.code > 128 ? fmt::format("Signal {} ended the program, and with it what was seen.", seen.code - 128)
                        : "The program launched no kernel.");
  } else if (report.alarms.empty()) {
    report.after.emplace_back(options.check ? "The detectors found nothing." : "The detectors were off (--check).");
  }
  return report;
}

int run(const Options& options) {
  const OutputOptions page_file = beside(options.output, "--html", options.html);
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output page(page_file), keep(record_file);
  expect_distinct({options.output, page_file, record_file});
  if (!trace::available()) throw Error(kLacking, "this build has no traced emulator");
  catch_interrupt();
  const Program program = program_of(options);
  if (!options.watches()) return program::run_plain(program.file, options.arguments);

  program::Watched seen =
      program::run_watched(program.file, options.arguments, {.seed = options.seed, .detectors = options.check});
  if (interrupted()) return kInterrupted;
  trace::Traced traced;
  traced.id = options.program;
  traced.own = options.arguments.empty() ? "no arguments" : fmt::format("{}", fmt::join(options.arguments, " "));
  traced.seed = options.seed;
  traced.trace = seen.trace;
  traced.failure = seen.failure;
  const trace::Runs runs = {std::move(traced)};
  if (!options.record.empty()) keep.write(trace::to_json(runs));
  if (!options.html.empty()) page.write(trace::to_html(runs, trace::own_roots()));
  const Report report = report_of(options, seen, runs, output);
  if (output.format() == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", visible(line));
    output.write(trace::to_json(runs));
  } else {
    output.write(report);
  }
  if (seen.code != 0) return seen.code;
  return report.alarms.empty() ? kGood : kFailed;
}

}  // namespace

Action run_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Run a whole CUDA program without a GPU, check it, count it\n"
      "Takes a program that cairn-nvcc has made, or a .cu file, which it compiles first; what follows -- are the\n"
      "program's own arguments. Without a flag the program just runs, fast. --check runs it with all\n"
      "detectors on every launch (races, accesses out of bounds, uninitialised memory, barriers that not all\n"
      "threads reach), --count counts requests, sectors, wavefronts and bank conflicts, a row for each kernel and\n"
      "shape of launch, as Nsight Compute names them. A finding does not stop the program. Exits with the\n"
      "program's code, or with 1 if that is 0 and something was found.\n"
      "docs/programs.md says what a program may use.");
  verb.footer(examples(
      {"cairn run examples/program/saxpy.cu --check", "cairn run examples/program/saxpy.cu --count -- 1000"}));
  verb.add_option("PROGRAM", options->program, "A program of cairn-nvcc, or a source: FILE.cu")->required();
  verb.add_option("ARGUMENT", options->arguments, "The program's arguments, after --");
  verb.add_flag("--check", options->check, "Look for races, bad accesses and unset memory in every launch");
  verb.add_flag("--count", options->count, "Count what every launch asks of the memory");
  verb.add_flag("--lines", options->lines, "Also the lines, worst first, and the source with counts in the margin");
  verb.add_option("--html", options->html, "Also write a page with the source and pictures to this file");
  verb.add_option("--record", options->record, "Also keep everything in this JSON file");
  verb.add_option("--flag", options->flags, "For cairn-nvcc, such as --flag=-DN=4 or --flag=second.cu")
      ->allow_extra_args(false);
  add_seed_flag(verb, options->seed);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
