// A trace as JSON.
#pragma once

#include <string>

#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

// {"schema": 1, "kind": "trace", "command", "created", "commit", "kernels": […], "findings": […], "failures": […]};
// docs/tracing.md has the keys. The text ends in a newline.
std::string to_json(const Runs& runs);

}  // namespace cairn::lab::trace
