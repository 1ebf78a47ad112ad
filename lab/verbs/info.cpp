// cairn info: what this build is, and what machines it sees.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cairn/cairn.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab {
namespace {

#ifdef CAIRN_HAVE_OPENBLAS
constexpr bool kOpenblas = true;
#else
constexpr bool kOpenblas = false;
#endif
#ifdef CAIRN_HAVE_CUDA
constexpr bool kCuda = true;
#else
constexpr bool kCuda = false;
#endif
#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // "Clang 14.0.6 …"
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

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
  report.before = {fmt::format("cairn {} · {} build · {} · OpenBLAS {} · CUDA {}", version(), CAIRN_BUILD_TYPE,
                               kCompiler, kOpenblas ? "yes" : "no", kCuda ? "yes" : "no")};
  report.table = device_table();
  if (output.format() != Format::json) {
    output.write(report);
    return kGood;
  }
  nlohmann::ordered_json json;
  json["version"] = version();
  json["build_type"] = CAIRN_BUILD_TYPE;
  json["compiler"] = kCompiler;
  json["openblas"] = kOpenblas;
  json["cuda"] = kCuda;
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
