// cairn plan: what the library would run, and why.
#include "src/dispatch/plan.hpp"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cairn/cairn.hpp"
#include "lab/exit.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"
#include "runtime/runtime.hpp"
#include "src/dispatch/check.hpp"

namespace cairn::lab {
namespace {

struct Options {
  ProblemOptions problem;
  std::string device = "auto";
  std::optional<int> sms;             // as many as the device has
  std::optional<std::uint64_t> seed;  // of a drawn suite
  OutputOptions output;
};

runtime::Facts facts_of(const Options& options) {
  std::shared_ptr<runtime::Machine> machine;
  expect(runtime::open(one_device(options.device), machine));
  runtime::Facts facts = machine->facts();
  if (!options.sms) return facts;
  if (facts.kind == runtime::Kind::cpu) throw Error(kUsage, "--sms is for plans of a GPU; add --device emu or gpu");
  facts.units = *options.sms;
  facts.name += fmt::format(", as if it had {} SMs", *options.sms);
  return facts;
}

std::vector<Problem> problems_of(const Options& options) {
  ProblemOptions problem = options.problem;
  if (options.seed && !problem.drawn())
    throw Error(kUsage,
                "--seed draws the shapes of a drawn suite, and a plan has nothing else to draw; add --suite "
                "drawn:CLASS");
  problem.seed = options.seed.value_or(problem.seed);
  return problem.problems();
}

int run(const Options& options) {
  const Output output(options.output);
  const std::vector<Problem> problems = problems_of(options);
  const runtime::Facts device = facts_of(options);
  dispatch::SplitBy split_by{};  // as of a handle that is opened now
  expect(dispatch::split_by_environment(split_by));
  Report report;
  report.table.columns = {{"problem", "problem", Align::left},     {"id", "id", Align::left},
                          {"tile", "tile", Align::left},           {"forecast_us", "forecast, us"},
                          {"workspace_bytes", "workspace, bytes"}, {"why", "why", Align::left}};
  std::string pages;
  for (const Problem& problem : problems) {
    std::shared_ptr<const Plan::Impl> plan;
    expect(dispatch::check(problem));
    expect(dispatch::make_plan(device, problem, plan, split_by));
    const auto& [id, tile, why] = plan->words();
    const double us = plan->best.choice.forecast.us();
    report.table.rows.push_back(
        {problem.brief(), id, tile, us > 0 ? Cell(us) : Cell(), static_cast<std::int64_t>(plan->workspace), why});
    pages += (pages.empty() ? "" : "\n") + why;
  }
  // why() is several lines that explain themselves: people read it as it is.
  if (output.format() == Format::table) {
    output.write_lines(pages);
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
      "Every candidate with its forecast, and by reason those that were ruled out. Nothing is multiplied, and\n"
      "alpha and beta would change nothing. With CAIRN_F32=split in the environment f32 is planned as split.");
  verb.footer(
      examples({"cairn plan --shape 4096x4096x64", "cairn plan --type bf16 --shape 4096 --device emu --sms 132",
                "cairn plan --order column --format json",
                "cairn plan --suite drawn:general --seed 3 --count 10 --type bf16 --device emu --sms 132"}));
  add_problem_flags(verb, options->problem);
  add_suite_flags(verb, options->problem);
  verb.add_option("--seed", options->seed, "Draws the shapes of a drawn suite; 1 if not given")
      ->transform(whole_number(0, kMostSeed));
  add_device_flag(verb, options->device);
  verb.add_option("--sms", options->sms, "Plan as if the GPU had so many SMs (an H200 has 132)")
      ->transform(whole_number(1, 1'000'000));
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
