#include "lab/experiments/lab_kernels.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <span>

#include <fmt/format.h>

#include "kernels/ladder.hpp"
#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using Cards = const Rung* const* (*)(std::size_t*);

// Found by its name alone, where the loader looks for what this program is linked with. It stays loaded: the cards
// live in it.
Cards entry() {
  constexpr const char* kFile = "libcairn_lab_kernels.so";
  void* library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(kLacking, fmt::format("the experiments' own kernels cannot be loaded ({}); they are part of a build "
                                      "with CUDA",
                                      ::dlerror()));
  }
  const auto found = reinterpret_cast<Cards>(::dlsym(library, "cairn_lab_kernels"));
  if (found == nullptr) throw Error(kFailed, fmt::format("{} is not ours: {}", kFile, ::dlerror()));
  return found;
}

}  // namespace

Contenders lab_kernels(int device, std::string_view card) {
  std::shared_ptr<runtime::Machine> machine;
  expect(runtime::open(device, machine));
  if (machine->facts().kind != runtime::Kind::gpu) {
    throw Error(kUsage, "kernels compiled by nvcc run on a GPU only; use --device gpu");
  }
  std::size_t count = 0;
  const Rung* const* first = entry()(&count);
  Contenders all;
  for (const Rung* rung : std::span(first, count)) {
    if (!card.empty() && rung->id != card) continue;
    for (int tile = 0; tile < rung->tiles; ++tile) {
      all.push_back(std::make_unique<RungContender>(machine, *rung, tile));
    }
  }
  return all;
}

namespace {

// The shared object or program that an address is in; "" if none is known.
std::string file_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

}  // namespace

std::string lab_kernels_file() { return file_of(reinterpret_cast<void*>(entry())); }
std::string rungs_file() { return file_of(static_cast<const void*>(cuda_ladder().data())); }

}  // namespace cairn::lab
