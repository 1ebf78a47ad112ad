// The interface of a CPU backend, and the list of them. A backend takes calls that have been checked and
// normalized: row-major, no null pointers to what is read, alpha and beta rounded to the accumulator type.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "src/call.hpp"

namespace cairn::cpu {

struct Backend {
  std::string_view id;                             // "cpu/openblas"
  std::string_view title;                          // one line for people
  std::string (*refuses)(const Problem& problem);  // why it cannot take this problem; empty if it can
  std::size_t (*workspace)(const Problem& problem);
  // `workspace` has at least the bytes asked for, aligned to 64.
  Status (*run)(const Call& call, std::span<std::byte> workspace);
};

extern const Backend reference;
#ifdef CAIRN_HAVE_OPENBLAS
extern const Backend openblas;
#endif

// Every backend of this build, the fastest first.
std::span<const Backend* const> backends();

}  // namespace cairn::cpu
