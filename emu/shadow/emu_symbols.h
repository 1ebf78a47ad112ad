// Copies to and from __constant__ and __device__ variables, which are given by name: the variable's type has its size. Where
// its address is given instead, CUDA finds no symbol, and neither do these.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu {

// What a symbol binds to: a variable, const or not, an array included.
template <class T>
concept Variable = std::is_lvalue_reference_v<T>;

}  // namespace cairn::emu

template <class T>
cudaError_t cudaMemcpyToSymbol(T&& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  if constexpr (cairn::emu::Variable<T&&>)
    return cairn::emu::copy_to_symbol(&symbol, sizeof symbol, from, bytes, offset);
  else
    return cairn::emu::no_symbol();
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, T&& symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  if constexpr (cairn::emu::Variable<T&&>)
    return cairn::emu::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset);
  else
    return cairn::emu::no_symbol();
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T&& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(static_cast<T&&>(symbol), from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, T&& symbol, std::size_t bytes, std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, static_cast<T&&>(symbol), bytes, offset, kind);
}
template <class T> cudaError_t cudaGetSymbolAddress(void** address, T&& symbol) {
  if constexpr (cairn::emu::Variable<T&&>)
    return cairn::emu::symbol_address(address, &symbol, sizeof symbol);
  else
    return cairn::emu::no_symbol();
}
template <class T> cudaError_t cudaGetSymbolSize(std::size_t* bytes, T&& symbol) {
  if constexpr (cairn::emu::Variable<T&&>) {
    *bytes = sizeof symbol;
    return cudaSuccess;
  } else {
    return cairn::emu::no_symbol();
  }
}

// An address that was cast to const void* does name a symbol in CUDA.
inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return cairn::emu::copy_to_symbol(symbol, SIZE_MAX, from, bytes, offset);
}
inline cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return cairn::emu::copy_from_symbol(to, symbol, SIZE_MAX, bytes, offset);
}
