#include "lab/experiments/transpose_builds.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <span>

#include <fmt/format.h>

#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using Cards = const Rung* const* (*)(std::size_t*);

// Found by its name alone, where the loader looks for what this program is linked with. It stays loaded: the rungs'
// cards live in it.
std::span<const Rung* const> cards(const std::string& level) {
  const std::string file = fmt::format("libcairn_transpose_{}.so", level);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(kLacking, fmt::format("the transposes built at -{} cannot be loaded ({}); they are part of a build "
                                      "with CUDA",
                                      level, ::dlerror()));
  }
  const auto entry = reinterpret_cast<Cards>(::dlsym(library, "cairn_transposes"));
  if (entry == nullptr) throw Error(kFailed, fmt::format("{} is not ours: {}", file, ::dlerror()));
  std::size_t count = 0;
  const Rung* const* first = entry(&count);
  return {first, count};
}

}  // namespace

Contenders transposes_built(const std::string& level, int device) {
  if (level != "o0" && level != "o3")
    throw Error(kUsage, fmt::format("build '{}' is not known; it must be o0 or o3", level));
  std::shared_ptr<runtime::Machine> machine;
  expect(runtime::open(device, machine));
  if (machine->facts().kind != runtime::Kind::gpu) {
    throw Error(kUsage, "kernels compiled by nvcc run on a GPU only; use --device gpu");
  }
  Contenders all;
  for (const Rung* rung : cards(level)) all.push_back(std::make_unique<RungContender>(machine, *rung, 0));
  return all;
}

}  // namespace cairn::lab
