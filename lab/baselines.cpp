#include "lab/baselines.hpp"

#include "lab/baseline_cublas.hpp"
#include "lab/baseline_openblas.hpp"
#include "lab/contender_cublas.hpp"

namespace cairn::lab {
namespace {

CublasSettings settings_for(Search search) {
  CublasSettings settings;
  if (search == Search::brief) settings.effort = brief_effort(), settings.keep = false;
  return settings;
}

}  // namespace

void add_baselines(const std::shared_ptr<runtime::Machine>& machine, Contenders& out, Search search) {
  switch (machine->facts().kind) {
    case runtime::Kind::cpu:
      if (auto openblas = openblas_direct(machine); openblas != nullptr) out.push_back(std::move(openblas));
      return;
    case runtime::Kind::gpu:
      if (built_with_cublas()) add_cublas(machine, out, settings_for(search));
      return;
    case runtime::Kind::emu: return;
  }
}

std::string no_baseline(runtime::Kind kind) {
  switch (kind) {
    case runtime::Kind::cpu: return built_with_openblas() ? "" : "this build has no OpenBLAS";
    case runtime::Kind::gpu: return no_cublas();
    case runtime::Kind::emu: break;
  }
  return "there are no baselines on the emulated GPU; use --device cpu or gpu";
}

}  // namespace cairn::lab
