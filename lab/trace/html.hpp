// A trace as an HTML page: counters, source, pictures of the worst requests, findings. The page is one file without
// scripts and without references to other files.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/source.hpp"
#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

std::string to_html(const Runs& runs, const std::vector<std::string>& roots = source_roots());

}  // namespace cairn::lab::trace
