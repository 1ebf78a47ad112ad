// Nothing is thrown across the API: what the library's own code might throw becomes a Status here.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "cairn/types.hpp"

namespace cairn::api {

template <class F> Status guarded(F&& body) noexcept {
  // The texts are short enough to need no memory of their own.
  try {
    return std::forward<F>(body)();
  } catch (const std::bad_alloc&) {
    return {Code::out_of_memory, "out of memory"};
  } catch (...) {
    return {Code::internal_error, "internal error"};
  }
}

}  // namespace cairn::api
