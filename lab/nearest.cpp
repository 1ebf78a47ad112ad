#include "lab/nearest.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

struct Distance {
  std::size_t beginning;  // to the best beginning of the name
  std::size_t whole;      // decides between equals
};

// Optimal string alignment: the edit distance in which two letters swapped count once. A letter that was left out
// counts least, so that simt/4 is nearer to simt/04 than to simt/01.
constexpr std::size_t kMissing = 2, kSwapped = 2, kExtra = 3, kChanged = 4;

Distance distance(std::string_view wanted, std::string_view name) {
  const std::size_t rows = wanted.size() + 1, cols = name.size() + 1;
  std::vector<std::size_t> cost(rows * cols);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * cols + j]; };
  for (std::size_t j = 0; j < cols; ++j) at(0, j) = j * kMissing;
  for (std::size_t i = 1; i < rows; ++i) {
    at(i, 0) = i * kExtra;
    for (std::size_t j = 1; j < cols; ++j) {
      const std::size_t change = at(i - 1, j - 1) + (wanted[i - 1] == name[j - 1] ? 0 : kChanged);
      at(i, j) = std::min({change, at(i - 1, j) + kExtra, at(i, j - 1) + kMissing});
      if (i > 1 && j > 1 && wanted[i - 1] == name[j - 2] && wanted[i - 2] == name[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + kSwapped);
    }
  }
  const auto last = cost.end() - static_cast<std::ptrdiff_t>(cols);
  return {*std::min_element(last, cost.end()), cost.back()};
}

}  // namespace

std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& names, std::size_t count) {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> found;  // the two distances, and the place
  found.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [beginning, whole] = distance(wanted, names[i]);
    found.emplace_back(beginning, whole, i);
  }
  std::ranges::sort(found);
  std::vector<std::string> result;
  for (const auto& [beginning, whole, i] : found) {
    if (result.size() == count) break;
    if (std::ranges::find(result, names[i]) == result.end()) result.push_back(names[i]);
  }
  return result;
}

std::string nearest_text(std::string_view wanted, const std::vector<std::string>& names) {
  return fmt::format("the nearest are {}", fmt::join(nearest(wanted, names), ", "));
}

}  // namespace cairn::lab
