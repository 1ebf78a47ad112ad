// cairn info: what this build is, and what machines it sees.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/record/record.hpp"
#include "lab/verbs/verbs.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab {
namespace {

// 0 in a device's facts means "does not apply".
Cell number(std::int64_t value) { return value == 0 ? Cell{} : Cell{value}; }

Table device_table() {
  Table table;
  table.upright = true;
  table.columns = {{"device", "device"},
                   {"name", "name"},
                   {"units", "SMs or hardware threads"},
                   {"arch", "architecture sm_"},
                   {"memory_bytes", "memory, bytes"},
                   {"cache_bytes", "last-level cache, bytes"},
                   {"shared_bytes", "shared memory a block, bytes"},
                   {"clock_mhz", "clock, MHz"},
                   {"software", "software"}};
  for (const runtime::Facts& facts : runtime::devices()) {
    table.rows.push_back({device_name(facts), facts.name, number(facts.units), number(facts.arch),
                          number(facts.memory_bytes), number(facts.cache_bytes), number(facts.shared_bytes),
                          number(facts.clock_mhz), facts.software});
  }
  return table;
}

int run(const OutputOptions& options) {
  const Output output(options);
  Report report;
  const record::Build build = record::this_build();
  report.before = {fmt::format("cairn {} · {} build · {} · OpenBLAS {} · CUDA {}", build.version, build.type,
                               build.compiler, build.openblas ? "yes" : "no", build.cuda ? "yes" : "no"),
                   fmt::format("commit {}", build.commit)};
  report.table = device_table();
  if (output.format() != Format::json) {
    output.write(report);
    return kGood;
  }
  nlohmann::ordered_json json;
  json["version"] = build.version;
  json["commit"] = build.commit;
  json["build_type"] = build.type;
  json["compiler"] = build.compiler;
  json["openblas"] = build.openblas;
  json["cuda"] = build.cuda;
  json["devices"] = nlohmann::ordered_json::parse(render(report.table, Format::json));
  output.write(json.dump(2) + "\n");
  return kGood;
}

}  // namespace

Action info_verb(CLI::App& verb) {
  auto options = std::make_shared<OutputOptions>();
  verb.description(
      "Say what this build and this machine are\n"
      "What to put at the top of a bug report or beside a measurement.");
  verb.footer(examples({"cairn info", "cairn info --format json"}));
  add_output_flags(verb, *options);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
