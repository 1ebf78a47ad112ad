// cairn_problem across versions. A program may have been compiled with an older or a newer cairn.h than the library
// was; `size`, the first field, says how many bytes its cairn_problem has. Problems of callers are read and written
// here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cairn/cairn.h"
#include "cairn/cairn.hpp"
#include "cairn/types.hpp"

namespace cairn::api {

// Reads a problem of any version. Fields that the caller's header does not have are 0.
Status read_problem(const cairn_problem* from, Problem& to);
Status read_operands(const cairn_operands* from, Operands& to);
// Writes within the caller's size, which stays as it is. Fields that the library does not have become 0.
Status write_problem(const Problem& from, cairn_problem* to);

// Copies one version of a struct to another: bytes that both have are copied, bytes that only `to` has become 0.
// Returns false and writes nothing if bytes that only `from` has are not all 0, because they would be lost.
bool copy_version(const void* from, std::size_t from_bytes, void* to, std::size_t to_bytes);

Status null(const char* what);
Status read_op(const char* what, std::int64_t value, Op& out);
template <class E> Status read_enum(const char* what, std::int64_t value, std::int64_t last, E& out) {
  if (value < 0 || value > last) {
    return {Code::invalid_argument,
            std::string(what) + " is " + std::to_string(value) + "; it must be from 0 to " + std::to_string(last)};
  }
  out = static_cast<E>(value);
  return {};
}

}  // namespace cairn::api
