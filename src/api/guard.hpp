// Turns every exception of the library's own code into a Status: nothing is thrown across the API.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "cairn/types.hpp"

namespace cairn::api {

template <class F> Status guarded(F&& body) noexcept {
  // Both messages fit std::string's internal buffer, so that returning them allocates nothing.
  try {
    return std::forward<F>(body)();
  } catch (const std::bad_alloc&) {
    return {Code::out_of_memory, "out of memory"};
  } catch (...) {
    return {Code::internal_error, "internal error"};
  }
}

}  // namespace cairn::api
