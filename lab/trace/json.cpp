#include "lab/trace/json.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/invocation.hpp"
#include "lab/record/record.hpp"
#include "lab/trace/ratios.hpp"

namespace cairn::lab::trace {
namespace {

using Json = nlohmann::ordered_json;

Json counters_json(const emu::Counters& counters) {
  Json object = Json::object();
  for (const emu::CounterName& name : emu::counter_names()) object[name.key] = counters.*name.value;
  return object;
}

Json ratios_json(const emu::Counters& counters) {
  Json object = Json::object();
  for (const Ratio& one : ratios()) {
    const auto value = one.of(counters);
    object[one.key] = value ? Json(*value) : Json(nullptr);
  }
  return object;
}

Json place_json(const emu::Place& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}};
}

Json line_json(const emu::LineCounters& line) {
  Json object = place_json(line.place);
  object["excess"] = excess(line.counters);
  object["counters"] = counters_json(line.counters);
  object["ratios"] = ratios_json(line.counters);
  return object;
}

Json kernel_json(const Traced& run, const emu::KernelTrace& kernel) {
  Json object = {{"rung", run.id},      {"problem", run.full()}, {"seed", run.seed},           {"name", kernel.name},
                 {"grid", kernel.grid}, {"block", kernel.block}, {"launches", kernel.launches}};
  object["counters"] = counters_json(kernel.counters);
  object["ratios"] = ratios_json(kernel.counters);
  object["lines"] = Json::array();
  for (const emu::LineCounters* line : worst_first(kernel)) object["lines"].push_back(line_json(*line));
  return object;
}

Json finding_json(const Traced& run, const emu::Finding& finding) {
  Json object = {{"rung", run.id},
                 {"problem", run.full()},
                 {"fault", emu::name(finding.fault)},
                 {"kernel", finding.kernel},
                 {"what", finding.what},
                 {"times", finding.times},
                 {"place", place_json(finding.place)}};
  object["other"] = finding.other.line == 0 ? Json(nullptr) : place_json(finding.other);
  return object;
}

Json buffer_json(const Traced& run, const emu::program::Buffer& buffer) {
  Json first = Json::array();
  for (std::size_t i = 0; i < buffer.first.size(); ++i) {
    const bool number = buffer.written[i] != 0 && std::isfinite(buffer.first[i]);
    first.push_back(number ? Json(buffer.first[i]) : Json(nullptr));
  }
  return {{"rung", run.id},        {"argument", buffer.argument},   {"type", emu::program::name(buffer.element)},
          {"count", buffer.count}, {"unwritten", buffer.unwritten}, {"first", first}};
}

}  // namespace

std::string to_json(const Runs& runs, const std::vector<std::pair<std::string, Table>>& tables) {
  Json all = {{"schema", 1},
              {"kind", "trace"},
              {"command", invocation()},
              {"created", record::now()},
              {"commit", record::this_build().commit},
              {"kernels", Json::array()},
              {"findings", Json::array()},
              {"failures", Json::array()}};
  for (const Traced& run : runs) {
    for (const emu::KernelTrace& kernel : run.trace.kernels) all["kernels"].push_back(kernel_json(run, kernel));
    for (const emu::Finding& finding : run.trace.findings) all["findings"].push_back(finding_json(run, finding));
    if (!run.failure.empty()) {
      all["failures"].push_back(Json{{"rung", run.id}, {"problem", run.full()}, {"what", run.failure}});
    }
  }
  if (is_own(runs)) {
    all["buffers"] = Json::array();
    for (const Traced& run : runs) {
      for (const emu::program::Buffer& buffer : run.buffers) all["buffers"].push_back(buffer_json(run, buffer));
    }
  }
  for (const auto& [key, table] : tables) all[key] = Json::parse(render(table, Format::json));
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cairn::lab::trace
