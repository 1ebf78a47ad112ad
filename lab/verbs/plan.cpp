// cairn plan: what the library would run, and why.
#include <memory>

#include <fmt/format.h>

#include "cairn/cairn.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  ProblemOptions problem;
  std::string device = "cpu";
  OutputOptions output;
};

int run(const Options& options) {
  const Output output(options.output);
  Handle handle;
  expect(Handle::open(parse_device(options.device), handle));
  Report report;
  report.table.columns = {{"problem", "problem", Align::left},
                          {"id", "id", Align::left},
                          {"workspace_bytes", "workspace, bytes"},
                          {"why", "why", Align::left}};
  std::string pages;
  for (const Problem& problem : options.problem.problems()) {
    Plan chosen;
    expect(cairn::plan(handle, problem, chosen));
    report.table.rows.push_back(
        {problem.brief(), chosen.id(), static_cast<std::int64_t>(chosen.workspace_bytes()), chosen.why()});
    pages += (pages.empty() ? "" : "\n") + chosen.why();
  }
  // why() is several lines that explain themselves: people read it as it is.
  if (output.format() == Format::table) {
    output.write(pages);
  } else {
    output.write(report);
  }
  return kGood;
}

}  // namespace

Action plan_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"1024"}, {"nn"}, {"f32"}, {"row"}};
  verb.description(
      "Say what the library would run for a problem, and why\n"
      "Every candidate, and what ruled it out. Nothing is multiplied.");
  verb.footer(examples({"cairn plan --shape 4096x4096x64", "cairn plan --type f16,e4m3:bf16 --layout nt",
                        "cairn plan --order column --format json"}));
  add_problem_flags(verb, options->problem);
  add_device_flag(verb, options->device);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
