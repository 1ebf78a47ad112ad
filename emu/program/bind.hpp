// A kernel as the program around it sees it: its parameters' types, and how to launch it. The driver that `cairn
// trace FILE` generates has one line that calls bind() with the kernel's name, so that the compiler looks the kernel
// up, instantiates it and knows its types.
#pragma once

#include <span>
#include <type_traits>
#include <typeinfo>

#include "emu/program/wire.hpp"
#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"

namespace cooperative_groups {
class grid_group;  // complete if the user's file includes <cooperative_groups.h>
}

namespace cairn::emu::program {

struct Parameter {
  const char* type;        // as typeid has it
  bool pointer, takeable;  // takeable: a pointer, or a number
  Element element;         // of the number, or of what is pointed to; `any` where that is a struct or void
};

struct Kernel {
  const char* name;
  std::span<const Parameter> parameters;
  // One pointer to its value for each parameter.
  cudaError_t (*launch)(dim3 grid, dim3 block, std::size_t shared, void** values);
};

template <class T> constexpr Element element_of() {
  if constexpr (std::is_enum_v<T>) {
    return element_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, __half>) {
    return Element::f16;
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return Element::bf16;
  } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
    return sizeof(T) == 4 ? Element::f32 : Element::f64;
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    constexpr Element kSigned[] = {Element::i8, Element::i16, Element::i32, Element::i64};
    constexpr Element kUnsigned[] = {Element::u8, Element::u16, Element::u32, Element::u64};
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[log] : kUnsigned[log];
  } else {
    return Element::any;
  }
}

template <class P> Parameter parameter_of() {
  using Value = std::remove_cv_t<P>;
  if constexpr (std::is_pointer_v<Value>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<Value>>;
    return {typeid(P).name(), true, !std::is_pointer_v<Target> && !std::is_function_v<Target>, element_of<Target>()};
  } else {
    return {typeid(P).name(), false, element_of<Value>() != Element::any, element_of<Value>()};
  }
}

template <class T>
concept Complete = requires {
  sizeof(T);
};

// The kernel as a type, so that the launch needs no state.
template <auto kernel, class Grid = cooperative_groups::grid_group> struct Bound;
template <class... P, void (*kernel)(P...), class Grid> struct Bound<kernel, Grid> {
  static cudaError_t launch(dim3 grid, dim3 block, std::size_t shared, void** values) {
    constexpr std::size_t kWithoutAsking = 48 * 1024;
    if (shared > kWithoutAsking) {
      const auto error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
      if (error != cudaSuccess) return error;
    }
    // A kernel with groups may have a grid.sync(), and may as well have more blocks than can be co-resident.
    if constexpr (Complete<Grid>) {
      if (fits_at_once(grid, block, shared)) return cudaLaunchCooperativeKernel(kernel, grid, block, values, shared);
    }
    return cudaLaunchKernel(kernel, grid, block, values, shared);
  }
  static bool fits_at_once(dim3 grid, dim3 block, std::size_t shared) {
    const unsigned long long threads = static_cast<unsigned long long>(block.x) * block.y * block.z;
    const unsigned long long blocks = static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    int each = 0, sms = 0;
    if (threads == 0 || threads > 1024) return false;  // the launch says so
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), shared) !=
        cudaSuccess)
      return false;
    if (cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess) return false;
    return blocks <= static_cast<unsigned long long>(each) * static_cast<unsigned long long>(sms);
  }
  static Kernel bind(const char* name) {
    static const Parameter parameters[] = {parameter_of<P>()..., {nullptr, false, false, Element::any}};
    return {name, {parameters, sizeof...(P)}, &launch};
  }
};

}  // namespace cairn::emu::program

// Written by the driver, called by runner.cpp.
cairn::emu::program::Kernel cairn_own_kernel();
