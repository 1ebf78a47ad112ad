// cairn list: which contenders there are.
#include <memory>

#include <fmt/format.h>

#include "lab/contender.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  std::string device = "auto";
  OutputOptions output;
};

// The words --type understands for products of one input type; what is refused for a small square is not taken.
std::string types_taken(const Contender& contender) {
  std::vector<std::string> taken;
  for (const char* type : {"f64", "f32", "f16", "bf16", "e4m3", "tf32", "split", "e4m3fast"}) {
    Problem p;
    expect(parse(fmt::format("{} 16", type), p));
    const Problem suited = contender.suited(p);  // a move has no compute mode
    if (suited.compute == p.compute && contender.refuses(suited).empty()) taken.emplace_back(type);
  }
  return fmt::format("{}", fmt::join(taken, " "));
}

int run(const Options& options) {
  const Output output(options.output);
  const Contenders all = open_contenders(options.device, options.ids);
  Report report;
  report.table.columns = {{"id", "id", Align::left},
                          {"device", "on", Align::left},
                          {"title", "what", Align::left},
                          {"types", "types", Align::left}};
  report.table.spare = {"types"};
  for (const auto& contender : all) {
    report.table.rows.push_back({std::string(contender->id()), device_name(contender->machine()->facts()),
                                 std::string(contender->title()), types_taken(*contender)});
  }
  output.write(report);
  return kGood;
}

}  // namespace

Action list_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Say which contenders there are and which types each takes\n"
      "Their ids are what climb, verify and bench accept.");
  verb.footer(examples({"cairn list", "cairn list 'cpu/*'", "cairn list --format json"}));
  add_contender_ids(verb, options->ids);
  add_device_flag(verb, options->device);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
