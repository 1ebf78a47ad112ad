// The parts of the runtime API that take a kernel: the types of its parameters are known here and nowhere else.
#pragma once

#include <tuple>
#include <utility>

#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu {

template <class... P> struct Call {
  void (*kernel)(P...);
  std::tuple<P...> arguments;

  // Each thread gets its own copy of the arguments, as on a GPU.
  static void once(const void* self) {
    const auto& call = *static_cast<const Call*>(self);
    std::apply(call.kernel, call.arguments);
  }
};

template <class... P>
cudaError_t launch_call(dim3 grid, dim3 block, std::size_t shared, void (*kernel)(P...), std::tuple<P...> arguments,
                        dim3 cluster = {1, 1, 1}, bool cooperative = false) {
  const Call<P...> call{kernel, std::move(arguments)};
  return launch({reinterpret_cast<const void*>(kernel), grid, block, shared, &Call<P...>::once, &call, sizeof call,
                 cluster, cooperative});
}

inline dim3 cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const auto& size = config.attrs[i].val.clusterDim;
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension) return {size.x, size.y, size.z};
  }
  return {1, 1, 1};
}

inline bool is_cooperative(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id == cudaLaunchAttributeCooperative) return config.attrs[i].val.cooperative != 0;
  }
  return false;
}

}  // namespace cairn::emu

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  return cairn::emu::launch_call(config->grid, config->block, config->dynamicSmemBytes, kernel,
                                 std::tuple<P...>(static_cast<P>(std::forward<A>(arguments))...),
                                 cairn::emu::cluster_of(*config), cairn::emu::is_cooperative(*config));
}

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, std::size_t shared = 0,
                             cudaStream_t = nullptr) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return cairn::emu::launch_call(grid, block, shared, kernel,
                                   std::tuple<P...>(*static_cast<std::remove_cv_t<P>*>(arguments[i])...));
  }
  (std::index_sequence_for<P...>());
}

template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared = 0, cudaStream_t = nullptr) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return cairn::emu::launch_call(grid, block, shared, kernel,
                                   std::tuple<P...>(*static_cast<std::remove_cv_t<P>*>(arguments[i])...), {1, 1, 1},
                                   true);
  }
  (std::index_sequence_for<P...>());
}

// Of a void* the parameters' types are known if a program has said so (emu/program/launch.hpp).
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared = 0, cudaStream_t = nullptr) {
  return cairn::emu::launch_untyped({kernel, grid, block, arguments, shared, false});
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               std::size_t shared = 0, cudaStream_t = nullptr) {
  return cairn::emu::launch_untyped({kernel, grid, block, arguments, shared, true});
}

template <class... P> cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cairn::emu::set_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
inline cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return cairn::emu::set_attribute(kernel, attribute, value);
}

template <class... P> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
  return cairn::emu::get_attributes(attributes, reinterpret_cast<const void*>(kernel));
}

template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...), int threads,
                                                          std::size_t dynamic_shared) {
  return cairn::emu::occupancy(blocks, reinterpret_cast<const void*>(kernel), threads, dynamic_shared);
}

template <class T> cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T> cudaError_t cudaMallocHost(T** pointer, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
