#include "lab/own_types.hpp"

namespace cairn::lab {
namespace {

// Without --type a contender runs in the first of these that it takes: the simt trail in f32, the tensor trail in
// bf16, and the few rungs that have one type only in that.
const char* const kOwnTypes[] = {"f32", "bf16", "f16", "tf32", "split", "f64"};

}  // namespace

std::vector<Alternatives> choices(const ProblemOptions& asked) {
  std::vector<Alternatives> steps;
  ProblemOptions one = asked;
  for (const char* type : kOwnTypes) {
    if (asked.type.empty()) one.type = {type};
    const std::vector<Problem> problems = one.problems();
    steps.resize(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) steps[i].push_back(problems[i]);
    if (!asked.type.empty()) break;
  }
  return steps;
}

Problem chosen_by(const Contender& contender, const Alternatives& choice) {
  for (const Problem& problem : choice) {
    if (contender.refuses(contender.suited(problem)).empty()) return contender.suited(problem);
  }
  return contender.suited(choice.front());
}

}  // namespace cairn::lab
