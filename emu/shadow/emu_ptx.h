// What inline PTX becomes in a whole program (lab/program/ptx/translate.hpp): registers of plain bits, and a call for
// each instruction.
#pragma once

#include "emu/shadow/emu_ptx_memory.h"
#include "emu/shadow/emu_ptx_scalar.h"
#include "emu/shadow/emu_ptx_sm90.h"
#include "emu/shadow/emu_ptx_warp.h"

inline std::size_t __cvta_generic_to_shared(const void* shared) {
  return cairn::emu::ptx::offset_of(reinterpret_cast<std::uintptr_t>(shared));
}
inline void* __cvta_shared_to_generic(std::size_t offset) {
  return reinterpret_cast<void*>(cairn::emu::ptx::generic(offset));
}
inline std::size_t __cvta_generic_to_global(const void* global) { return reinterpret_cast<std::uintptr_t>(global); }
inline void* __cvta_global_to_generic(std::size_t global) { return reinterpret_cast<void*>(global); }
inline unsigned __isShared(const void* address) { return cairn::emu::is_in_shared(address) ? 1 : 0; }
inline unsigned __isGlobal(const void* address) { return __isShared(address) ^ 1; }
