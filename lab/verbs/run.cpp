// cairn run: a whole CUDA program on the emulator.
#include "lab/program/run.hpp"

#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/program/checksums.hpp"
#include "lab/program/compare.hpp"
#include "lab/program/compare_show.hpp"
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
  bool checksum = false;
  std::string html, record, kernels, type;  // kernels: to compare
  std::optional<double> tolerance;
  OutputOptions output;

  bool compares() const { return !kernels.empty(); }
  bool watches() const {
    return check || count || lines || checksum || compares() || !html.empty() || !record.empty();
  }
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

// What was seen of a program, for people and for machines.
struct Seen {
  program::Watched watched;
  std::optional<program::Judged> judged;  // kernels that were compared
  trace::Runs runs;
};

// People have all tables that they asked for, below each other; a file of CSV has one, the most special.
Report report_of(const Options& options, const Seen& seen, const Output& output) {
  const bool for_people = output.format() == Format::table || output.format() == Format::md;
  const program::Watched& watched = seen.watched;
  std::vector<Section> all;
  if (options.count || options.lines || !for_people) {
    all.push_back(
        {"Counted by the traced emulator, of the source as written.", program::launches_table(watched.trace)});
    if (options.lines && !for_people) all = {{"", trace::lines_table(seen.runs, trace::own_roots())}};
  }
  if (options.checksum) all.push_back({"Memory after each launch.", program::checksum_table(watched.launches)});
  if (seen.judged) {
    all.push_back({program::heading(*seen.judged), program::comparison_table(*seen.judged, for_people)});
    if (for_people)
      all.push_back({"Counters of both.", program::both_table(watched.compared[0], watched.compared[1])});
  }
  Report report;
  if (!all.empty()) {
    Section& main = for_people ? all.front() : all.back();
    report.before = {main.heading};
    report.table = std::move(main.table);
    if (for_people)
      report.sections.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
  }
  report.alarms = trace::alarms(seen.runs);
  if (options.lines && for_people) {
    for (Section& section : trace::lines_report(seen.runs, trace::own_roots()))
      report.sections.push_back(std::move(section));
  }
  if (!watched.answered) {
    report.after.push_back(watched.code > 128 ? fmt::format("Signal {} ended the program, and with it what was seen.",
                                                            watched.code - 128)
                                              : "The program launched no kernel.");
  } else if (report.alarms.empty()) {
    report.after.emplace_back(options.check || options.compares() ? "The detectors found nothing."
                                                                  : "The detectors were off (--check).");
  }
  if (!seen.judged) return report;
  for (std::string& line : program::remarks(*seen.judged)) report.after.push_back(std::move(line));
  for (std::string& line : program::complaints(*seen.judged)) report.alarms.push_back(std::move(line));
  return report;
}

// As JSON has them, beside kernels and findings.
std::vector<std::pair<std::string, Table>> tables_of(const Options& options, const Seen& seen) {
  std::vector<std::pair<std::string, Table>> tables;
  if (options.checksum) tables.emplace_back("launches", program::checksum_table(seen.watched.launches));
  if (seen.judged) tables.emplace_back("comparison", program::comparison_table(*seen.judged, false));
  return tables;
}

std::optional<program::Compare> asked_to_compare(const Options& options) {
  if (options.compares()) return program::parse_compare(options.kernels, options.type);
  if (!options.type.empty() || options.tolerance)
    throw Error(kUsage, "--compare-type and --tolerance are for --compare");
  return {};
}

Seen watch(const Options& options, const std::optional<program::Compare>& compare, const std::string& file) {
  Seen seen;
  seen.watched = program::run_watched(file, options.arguments,
                                      {.seed = options.seed,
                                       .detectors = options.check,
                                       .count = options.count,
                                       .checksum = options.checksum,
                                       .compare = compare});
  trace::Traced traced;
  traced.id = options.program;
  traced.own = options.arguments.empty() ? "no arguments" : fmt::format("{}", fmt::join(options.arguments, " "));
  traced.seed = options.seed;
  traced.trace = seen.watched.trace;
  traced.failure = seen.watched.failure;
  seen.runs = {std::move(traced)};
  if (compare && seen.watched.answered) {
    std::vector<std::string> launched;
    for (const emu::KernelTrace& kernel : seen.watched.trace.kernels) launched.push_back(kernel.name);
    seen.judged = program::judge(*compare, seen.watched.comparison, options.tolerance, launched);
  }
  return seen;
}

int run(const Options& options) {
  const OutputOptions page_file = beside(options.output, "--html", options.html);
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output page(page_file), keep(record_file);
  expect_distinct({options.output, page_file, record_file});
  if (!trace::available()) throw Error(kLacking, "this build has no traced emulator");
  catch_interrupt();
  const auto compare = asked_to_compare(options);
  const Program program = program_of(options);
  if (!options.watches()) return program::run_plain(program.file, options.arguments);

  const Seen seen = watch(options, compare, program.file);
  if (interrupted()) return kInterrupted;
  const auto json = [&] { return trace::to_json(seen.runs, tables_of(options, seen)); };
  if (!options.record.empty()) keep.write(json());
  if (!options.html.empty()) page.write(trace::to_html(seen.runs, trace::own_roots()));
  const Report report = report_of(options, seen, output);
  if (output.format() == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", visible(line));
    output.write(json());
  } else {
    output.write(report);
  }
  if (seen.watched.code != 0) return seen.watched.code;
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
      "shape of launch, as Nsight Compute names them. --checksum prints what every launch left in memory as\n"
      "checksums, for comparing two builds. --compare A,B compares what kernel B wrote with what kernel A wrote on\n"
      "the same data, and shows the counters of both. A finding does not stop the program. Exits with the program's\n"
      "code, or with 1 if that is 0 and something was found.\n"
      "docs/programs.md says what a program may use.");
  verb.footer(
      examples({"cairn run examples/program/saxpy.cu --check", "cairn run examples/program/saxpy.cu --count -- 1000",
                "cairn run examples/program/twins.cu --compare reference,tiled"}));
  verb.add_option("PROGRAM", options->program, "A program of cairn-nvcc, or a source: FILE.cu")->required();
  verb.add_option("ARGUMENT", options->arguments, "The program's arguments, after --");
  verb.add_flag("--check", options->check, "Look for races, bad accesses and unset memory in every launch");
  verb.add_flag("--count", options->count, "Count what every launch asks of the memory");
  verb.add_flag("--lines", options->lines, "Also the lines, worst first, and the source with counts in the margin");
  verb.add_flag("--checksum", options->checksum,
                "A checksum of each allocation that a launch changed, launch by launch");
  verb.add_option("--compare", options->kernels, "A,B: two kernels that should write the same; with all detectors");
  verb.add_option("--compare-type", options->type,
                  "What they write: f32, f16, i32, bytes …; by default as in their code");
  verb.add_option("--tolerance", options->tolerance, "The largest error, as a part of the largest value that A wrote")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--html", options->html, "Also write a page with the source and pictures to this file");
  verb.add_option("--record", options->record, "Also keep everything in this JSON file");
  verb.add_option("--flag", options->flags, "For cairn-nvcc, such as --flag=-DN=4 or --flag=second.cu")
      ->allow_extra_args(false);
  add_seed_flag(verb, options->seed);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
