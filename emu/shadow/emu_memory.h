// Loads and stores with cache hints, which are plain ones here. __ldcv may be used to
// poll, so it lets other threads run.
#pragma once

#include <type_traits>

#include "emu/machine/builtins.hpp"

template <class T> T __ldg(const T* address) { return *address; }
template <class T> T __ldca(const T* address) { return *address; }
template <class T> T __ldcg(const T* address) { return *address; }
template <class T> T __ldcs(const T* address) { return *address; }
template <class T> T __ldlu(const T* address) { return *address; }
template <class T> T __ldcv(const T* address, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::spin("__ldcv", false, site);
  return *static_cast<const volatile T*>(address);
}

template <class T> void __stwb(T* address, std::type_identity_t<T> value) { *address = value; }
template <class T> void __stcg(T* address, std::type_identity_t<T> value) { *address = value; }
template <class T> void __stcs(T* address, std::type_identity_t<T> value) { *address = value; }
template <class T> void __stwt(T* address, std::type_identity_t<T> value) { *address = value; }
