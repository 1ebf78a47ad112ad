#include "lab/leading.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t of(const std::optional<Leading>& given, const Stored& matrix) {
  if (!given) return matrix.ld;
  const std::int64_t least = matrix.min_ld();
  if (!given->above_least) return std::max(given->elements, least);
  return given->elements > kMost - least ? kMost : least + given->elements;
}

std::int64_t end_to_end(const Stored& matrix) {
  std::int64_t stride = 0;
  return __builtin_mul_overflow(matrix.major, matrix.ld, &stride) ? kMost : stride;  // which no call may have
}

}  // namespace

Leading parse_leading(const std::string& text, const char* flag) {
  const bool above = text.starts_with('+');
  const char* end = text.data() + text.size();
  std::int64_t elements = -1;
  const auto [stop, error] = std::from_chars(text.data() + (above ? 1 : 0), end, elements);
  if (error != std::errc{} || stop != end || elements < 0) {
    throw Error(kUsage, fmt::format("{} '{}' is no leading dimension; write 4096 for that many elements, or +8 for 8 "
                                    "above the least",
                                    flag, text));
  }
  return {elements, above};
}

bool LeadingDimensions::any_absolute() const {
  return std::ranges::any_of(std::initializer_list<std::optional<Leading>>{a, b, c},
                             [](const auto& one) { return one && !one->above_least; });
}

void LeadingDimensions::apply(Problem& problem) const {
  problem.lda = of(a, problem.a()), problem.ldb = of(b, problem.b()), problem.ldc = of(c, problem.c());
}

void set_strides_end_to_end(Problem& problem) {
  problem.stride_a = end_to_end(problem.a());
  problem.stride_b = end_to_end(problem.b());
  problem.stride_c = end_to_end(problem.c());
}

}  // namespace cairn::lab
