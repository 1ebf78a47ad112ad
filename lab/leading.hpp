// Leading dimensions as options give them: a number of elements, or so many above the least.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cairn/types.hpp"

namespace cairn::lab {

struct Leading {
  std::int64_t elements = 0;
  bool above_least = false;  // "+8": the least and 8 more
};

// "128" or "+8". Throws an Error that names `flag`.
Leading parse_leading(const std::string& text, const char* flag);

struct LeadingDimensions {
  std::optional<Leading> a, b, c;  // the problem's own where there is none

  bool any() const { return a || b || c; }
  bool any_absolute() const;
  // Sets them, and never below the least. Strides stay.
  void apply(Problem& problem) const;
};

// The elements that follow each stored line of a matrix.
inline std::int64_t padding(const Stored& matrix) { return matrix.ld - matrix.min_ld(); }

// The products of a batch one behind the other, the padding of their last lines included.
void set_strides_end_to_end(Problem& problem);

}  // namespace cairn::lab
