// cairn lab: experiments by name.
#include <memory>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::string name;
  OutputOptions output;
};

const Experiment& find(const std::string& name) {
  std::string names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names += (names.empty() ? "" : ", ") + std::string(experiment.name);
  }
  throw Error(kUsage, fmt::format("there is no experiment '{}'; there are: {}", name, names));
}

int run(const Options& options) {
  const Output output(options.output);
  if (!options.name.empty()) {
    const Findings findings = find(options.name).run();
    output.write(findings.report);
    return findings.holds ? kGood : kFailed;
  }
  Report report;
  report.table.columns = {{"name", "name", Align::left}, {"question", "question", Align::left}};
  for (const Experiment& experiment : experiments()) {
    report.table.rows.push_back({std::string(experiment.name), std::string(experiment.question)});
  }
  output.write(report);
  return kGood;
}

}  // namespace

Action lab_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Run an experiment: a question, a table, what it proves\n"
      "With no name it lists them.");
  verb.footer(examples({"cairn lab", "cairn lab layout"}));
  verb.add_option("NAME", options->name, "Which experiment");
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
