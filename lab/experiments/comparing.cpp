#include "lab/experiments/comparing.hpp"

#include <algorithm>
#include <string_view>

#include "lab/measure/statistics.hpp"

namespace cairn::lab {

Verdict compare(const Timed& a, const Timed& b) {
  const measure::Interval of_a = measure::median_interval(a.samples), of_b = measure::median_interval(b.samples);
  if (of_a.high < of_b.low) return Verdict::faster;
  if (of_b.high < of_a.low) return Verdict::slower;
  return Verdict::undecided;
}

std::string order(std::vector<Timed> all) {
  std::stable_sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) {
    return measure::median(a.samples) < measure::median(b.samples);
  });
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += compare(all[i - 1], all[i]) == Verdict::undecided ? " ≈ " : " < ";
    text += all[i].name;
  }
  return text;
}

std::string short_id(std::string_view id) { return std::string(id.substr(0, id.find('_'))); }

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace cairn::lab
