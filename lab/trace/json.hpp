// A trace as JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/table.hpp"
#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

// {"schema": 1, "kind": "trace", "command", "created", "commit", "kernels": […], "findings": […], "failures": […]};
// docs/tracing.md has the keys. The text ends in a newline.
// `tables` come after these, as arrays under keys of their own.
std::string to_json(const Runs& runs, const std::vector<std::pair<std::string, Table>>& tables = {});

}  // namespace cairn::lab::trace
