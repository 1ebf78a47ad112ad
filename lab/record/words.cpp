#include "lab/record/words.hpp"

#include "lab/exit.hpp"

namespace cairn::lab::record {

std::string_view word(runtime::Kind kind) {
  switch (kind) {
    case runtime::Kind::cpu: return "cpu";
    case runtime::Kind::gpu: return "gpu";
    case runtime::Kind::emu: break;
  }
  return "emu";
}

std::optional<runtime::Kind> kind_named(std::string_view text) {
  for (const runtime::Kind kind : {runtime::Kind::cpu, runtime::Kind::gpu, runtime::Kind::emu}) {
    if (text == word(kind)) return kind;
  }
  return {};
}

Problem problem_of(const Row& row) {
  Problem problem;
  expect(parse(row.problem, problem));
  return problem;
}

std::string mma_type(const Problem& problem) {
  if (problem.in == Type::f16) return "f16";
  if (problem.in == Type::bf16) return "bf16";
  return problem.in == Type::f32 && problem.compute == Compute::tf32 ? "tf32" : "";
}

}  // namespace cairn::lab::record
