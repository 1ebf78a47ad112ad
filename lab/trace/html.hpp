// One page that shows what was traced: counters, source, pictures of the worst requests, findings. It needs nothing
// but itself: no script, no font, no picture from elsewhere.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/source.hpp"
#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

std::string to_html(const Runs& runs, const std::vector<std::string>& roots = source_roots());

}  // namespace cairn::lab::trace
