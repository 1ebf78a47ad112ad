#include "lab/verify_options.hpp"

#include <fmt/format.h>

#include "lab/epilogue.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

// The flags as they were given, for the command that draws a case again.
std::string flags(const VerifyOptions& options, const ProblemOptions& given) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    if (!values.empty()) words.push_back(fmt::format("{} {}", flag, fmt::join(values, ",")));
  };
  add("--shape", given.shape);
  add("--layout", given.layout);
  add("--type", given.type);
  add("--order", given.order);
  const auto add_one = [&](const char* flag, const auto& value) {
    if (value) words.push_back(fmt::format("{} {}", flag, *value));
  };
  const auto add_text = [&](const char* flag, const std::string& text) {
    if (!text.empty()) words.push_back(fmt::format("{} {}", flag, text));
  };
  add_text("--ld", given.ld), add_text("--lda", given.lda), add_text("--ldb", given.ldb);
  add_text("--ldc", given.ldc), add_text("--invariant", given.invariant);
  add("--epilogue", given.epilogue), add("--scales", given.scales);
  add_one("--groups", given.groups), add_one("--batch", given.batch), add_one("--alpha", options.alpha),
      add_one("--beta", options.beta);
  return fmt::format("{}", fmt::join(words, " "));
}

// Flags narrow what is drawn; what no flag names is drawn from everything.
verify::Space space(const VerifyOptions& options, const ProblemOptions& given) {
  verify::Space result;
  result.flags = flags(options, given);
  result.leading = given.leading();
  result.batch = given.groups ? std::optional<std::int64_t>(1) : given.batch;
  result.groups = given.groups, result.alpha = options.alpha, result.beta = options.beta;
  if (given.shape.empty() && result.leading.any_absolute())
    throw Error(kUsage, "a leading dimension needs a --shape; write +8 for 8 above the least of every shape drawn");
  result.invariant = given.invariant_asked();
  if (given.groups && result.invariant.value_or(Invariant::none) != Invariant::none)
    throw Error(kUsage, "--groups: groups of rows have no invariant results; leave --invariant out");
  bool blocks = false;
  if (!given.epilogue.empty() || !given.scales.empty()) {
    Problem any = Problem::packed(Type::e4m3, Op::none, Op::none, 1, 1, 1);  // e4m3 may have any scales,
    any.out = Type::bf16;                                                    // and f32 is not C's type
    result.given_epilogues = each_epilogue(given.epilogue, given.scales, any);
    for (const Problem& p : result.given_epilogues) blocks |= p.scale_a > Scale::vector;
  }
  ProblemOptions all = given;
  if (blocks && all.type.empty()) all.type = {"e4m3", "e4m3:f16", "e4m3:bf16", "e4m3:f32"};
  if (all.shape.empty() && all.layout.empty() && all.type.empty() && all.order.empty() && !given.groups)
    return result;
  all.epilogue.clear();
  result.fixed_shape = !given.shape.empty();
  if (all.shape.empty()) all.shape = {"1"};
  if (all.layout.empty()) all.layout = {"nn", "nt", "tn", "tt"};
  if (all.type.empty()) {
    all.type = {"f64",      "f32",          "tf32",          "split",       "f16",       "f16:f32",
                "bf16",     "bf16:f32",     "e4m3",          "e4m3:f16",    "e4m3:bf16", "e4m3:f32",
                "e4m3fast", "e4m3fast:f16", "e4m3fast:bf16", "e4m3fast:f32"};
  }
  if (all.order.empty()) all.order = {"row", "column"};
  if (given.groups) all.order = {"row"};
  all.groups.reset();
  result.like = all.problems();  // with their scales only to see that they may have them
  for (Problem& p : result.like) p.scale_a = p.scale_b = Scale::none;
  return result;
}

}  // namespace

std::vector<verify::Space> spaces(const VerifyOptions& options) {
  std::vector<verify::Space> all;
  for (const ProblemOptions& line : options.problem.lines()) all.push_back(space(options, line));
  return all;
}

}  // namespace cairn::lab
