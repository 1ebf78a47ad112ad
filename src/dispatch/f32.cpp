#include "src/dispatch/f32.hpp"

#include <cstdlib>
#include <string_view>

namespace cairn::dispatch {

Status split_by_environment(SplitBy& out) {
  const char* const value = std::getenv(kF32Variable);
  const std::string_view text = value == nullptr ? "" : value;  // set but empty is not set, as shells have it
  if (!text.empty() && text != name(Compute::native) && text != name(Compute::split)) {
    return {Code::invalid_argument,
            std::string(kF32Variable) + " is '" + std::string(text) + "'; it must be native or split"};
  }
  out = text == name(Compute::split) ? SplitBy::environment : SplitBy::nobody;
  return {};
}

std::string why_not_split(const Problem& problem, runtime::Kind kind) {
  if (kind == runtime::Kind::cpu) return "the CPU computes split as IEEE f32 too";
  if (problem.invariant != Invariant::none)
    return std::string(name(problem.invariant)) + " are to be invariant, and split is not on every GPU";
  return "";
}

}  // namespace cairn::dispatch
