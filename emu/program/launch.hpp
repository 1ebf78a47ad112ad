// Launches of a whole program. The driver makes
//
//   tile<32><<<grid, block, bytes, stream>>>(a, n);
//
// a call of what is below, with the kernel's name in a lambda, so that the compiler resolves overloads, template and
// default arguments as in any call:
//
//   cairn::emu::program::Launcher(grid, block, bytes, stream)([&](auto... p) { tile<32>(p...); }, a, n);
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu::program {

// Calls `once` on the host as far as the first line of the kernel in it, and returns that kernel's address, null if
// there is none, and its __cluster_dims__.
struct Found {
  const void* kernel = nullptr;
  dim3 cluster = {1, 1, 1};
};
Found kernel_in(void (*once)(const void* call), const void* call);

// The first line of every kernel, put there by the driver: true if the kernel was only to be found. The variable is a
// static local of the kernel, by whose symbol kernels are told from other functions (emu/machine/kernel_facts.hpp).
bool entered(const void* mark, dim3 cluster = {1, 1, 1});

// The driver moves it into that line, because a template's may depend on its arguments.
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((cairn_cluster_dims(__VA_ARGS__)))

// Runs it. What fails is the last error, as on a GPU, and is told on stderr at once.
void run(const Launch& wanted);

class Launcher {
 public:
  Launcher(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t = nullptr)
      : grid_(grid), block_(block), shared_(shared) {}

  template <class Kernel, class... A> void operator()(Kernel kernel, A... arguments) const {
    struct Call {
      Kernel kernel;
      std::tuple<A...> arguments;
      // Each thread has its own copy of the arguments, as on a GPU.
      static void once(const void* self) {
        const auto& call = *static_cast<const Call*>(self);
        std::apply(call.kernel, call.arguments);
      }
    };
    const Call call{std::move(kernel), std::tuple<A...>(std::move(arguments)...)};
    const Found found = kernel_in(&Call::once, &call);
    run({found.kernel, grid_, block_, shared_, &Call::once, &call, sizeof call, found.cluster});
  }

 private:
  dim3 grid_, block_;
  std::size_t shared_;
};

// Makes a kernel known to launches that give it as void*; the driver puts one behind every kernel that is no template.
struct Known {
  template <class... P> explicit Known(void (*kernel)(P...)) {
    know_kernel(reinterpret_cast<const void*>(kernel), [](const UntypedLaunch& wanted) {
      const auto typed = reinterpret_cast<void (*)(P...)>(const_cast<void*>(wanted.kernel));
      return wanted.cooperative
                 ? cudaLaunchCooperativeKernel(typed, wanted.grid, wanted.block, wanted.arguments, wanted.shared)
                 : cudaLaunchKernel(typed, wanted.grid, wanted.block, wanted.arguments, wanted.shared);
    });
  }
};

// Stands where inline PTX has an instruction that is not emulated: ends the launch with a report that shows it.
[[noreturn]] void refuse_ptx(const char* text, const char* file, int line);

}  // namespace cairn::emu::program
