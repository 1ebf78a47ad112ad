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

std::string problem_text(const Row& row) { return problem_of(row).brief() + row.scalars.text(); }

std::string tensor_type(const Problem& problem) {
  switch (problem.in) {
    case Type::f16:
    case Type::bf16:
    case Type::e4m3:
    case Type::f64: return std::string(name(problem.in));
    case Type::f32: return problem.compute == Compute::tf32 ? "tf32" : "";
  }
  return "";
}

}  // namespace cairn::lab::record
