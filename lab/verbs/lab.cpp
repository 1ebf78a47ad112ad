// cairn lab: experiments by name.
#include <bit>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "lab/data_folder.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/recorded.hpp"
#include "lab/invocation.hpp"
#include "lab/nearest.hpp"
#include "lab/no_gpu.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/progress.hpp"
#include "lab/signals.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::string name;
  std::string device = "auto";
  std::string shape;
  std::optional<std::string> pattern;
  std::optional<unsigned> bytes;
  std::uint64_t seed = 1;
  std::string record;
  OutputOptions output;
};

const Experiment& find(const std::string& name) {
  if (const Experiment* found = find_experiment(name)) return *found;
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  throw Error(kUsage,
              fmt::format("there is no experiment '{}'; {} (cairn lab has all)", name, nearest_text(name, names)));
}

// The default of --device: a GPU; for an experiment that does not measure times, the emulator if there is no GPU.
int device_for(const Experiment& experiment, const Options& options) {
  if (options.device != "auto") return parse_device(options.device);
  return experiment.multiplies && !has_gpu() ? parse_device("emu") : 0;
}

Conditions conditions(const Experiment& experiment, const Options& options) {
  Conditions out;
  out.device = device_for(experiment, options);
  out.seed = options.seed;
  out.pattern = options.pattern;
  out.bytes = options.bytes.value_or(4);
  if (!options.shape.empty()) {
    const auto shapes = parse_shapes(options.shape);
    const auto& [m, n, k] = shapes.at(0);
    if (shapes.size() != 1 || m < 1 || n < 1 || k < 1)
      throw Error(kUsage,
                  fmt::format("--shape {}: an experiment takes one shape, with sizes of 1 or more", options.shape));
    out.shape = shapes[0];
  }
  return out;
}

void check_pattern(const Experiment& experiment, const Options& options) {
  if (!experiment.takes_pattern && (options.pattern || options.bytes))
    throw Error(kUsage, fmt::format("'{}' takes no --pattern and no --bytes; 'banks' does", experiment.name));
  if (!options.bytes) return;
  if (!options.pattern) throw Error(kUsage, "--bytes needs a --pattern");
  if (!std::has_single_bit(*options.bytes))
    throw Error(kUsage, fmt::format("--bytes {}: a lane takes 1, 2, 4, 8 or 16", *options.bytes));
}

void expect_device(const Experiment& experiment, const Options& options) {
  if (options.device != "auto" && parse_device(options.device) < 0)
    throw Error(kUsage, fmt::format("'{}' measures on a GPU; use --device gpu or gpu:N", experiment.name));
}

// The answer that was recorded, for people. Whoever names a device, a shape, a seed, a file for the record or a format
// for machines asks for a measurement of their own, which the numbers of another machine must not be taken for.
int without_gpu(const Experiment& experiment, const Options& options, const Output& output) {
  const bool people = output.format() == Format::table || output.format() == Format::md;
  const bool own = options.device != "auto" || !options.shape.empty() || options.seed != 1 || !options.record.empty();
  std::optional<Report> recorded;
  if (people && !own) recorded = published(experiment);
  if (!recorded) {
    const auto file = project_file(experiment.record_file());
    throw Error(kLacking,
                fmt::format("'{}' measures on a GPU, and there is none here; {} has what was measured{}",
                            experiment.name, experiment.page(),
                            file ? fmt::format(", and cairn report {} shows its record", shown_path(*file)) : ""));
  }
  output.write(*recorded);
  return kGood;
}

// Enough to look at it again later.
std::string to_json(const Experiment& experiment, const Findings& findings, int device) {
  record::LabRecord out;
  out.experiment = experiment.name;
  out.command = invocation();
  out.created = record::now();
  out.build = record::this_build();
  for (const runtime::Facts& facts : runtime::devices()) {
    if ((experiment.measures || experiment.multiplies) && facts.device == device) out.machine = describe(facts);
  }
  out.conclusions = findings.conclusions;
  out.notes = findings.notes;
  return record::to_json(out, findings.report.table);
}

int list_all(const Output& output) {
  Report report;
  report.table.columns = {
      {"name", "name", Align::left}, {"question", "question", Align::left}, {"needs", "needs", Align::left}};
  for (const Experiment& experiment : experiments()) {
    report.table.rows.push_back({std::string(experiment.name), std::string(experiment.question),
                                 experiment.measures     ? "a GPU, else shows its record"
                                 : experiment.multiplies ? "a GPU or the emulator"
                                                         : "nothing"});
  }
  output.write(report);
  return kGood;
}

int run(const Options& options) {
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output keep(record_file);
  expect_distinct({options.output, record_file});
  if (options.name.empty()) return list_all(output);
  const Experiment& experiment = find(options.name);
  Conditions asked = conditions(experiment, options);
  if (!experiment.measures && !experiment.multiplies && asked.shape)
    throw Error(kUsage, fmt::format("'{}' is about numbers small enough to follow by hand; it takes no --shape",
                                    experiment.name));
  check_pattern(experiment, options);
  if (experiment.measures) {
    expect_device(experiment, options);
    if (!has_gpu()) return without_gpu(experiment, options, output);
  }

  Findings findings;
  {
    catch_interrupt();
    Progress progress;
    asked.progress = [&](const std::string& what, double share) {
      progress.show(what, share);
      return !interrupted();
    };
    findings = experiment.run(asked);
  }  // and the progress line is gone
  if (!options.record.empty()) keep.write(to_json(experiment, findings, asked.device));
  output.write(findings.in_full());
  return findings.holds ? kGood : kFailed;
}

}  // namespace

Action lab_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Run an experiment: a question, a table, what it proves\n"
      "With no name it lists them. Those that measure need a GPU; Nsight Compute, where it is there, adds\n"
      "what only it can tell. With no GPU they print the record of an earlier run (exit code 0), unless\n"
      "--shape, --seed, --device, --record or a format for machines asks for a new one (exit code 77).");
  verb.footer(examples({"cairn lab", "cairn lab layout", "cairn lab banks --pattern \"l*33\""}));
  verb.add_option("NAME", options->name, "Which experiment");
  verb.add_option("--shape", options->shape, "The size to measure at, instead of the experiment's own");
  verb.add_option("--pattern", options->pattern, "banks: what lane l takes, such as \"l*33\" or \"l*32 + (l^5)\"");
  verb.add_option("--bytes", options->bytes, "banks: how many bytes that is: 1, 2, 4, 8 or 16; 4 if not given")
      ->transform(whole_number(1, 16));
  add_device_flag(verb, options->device);
  add_seed_flag(verb, options->seed);
  verb.add_option("--record", options->record, "Also keep the table with every sample in this JSON file");
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
