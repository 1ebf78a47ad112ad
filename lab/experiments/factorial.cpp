#include "lab/experiments/factorial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kWorthTelling = 0.01;  // an effect relative to the time
constexpr double kCloseTo = 0.7;        // a correlation

bool high(std::size_t run, std::size_t factor) { return (run >> factor & 1) != 0; }

// The half-difference of the logarithms between runs where the number of high factors is even and where it is odd,
// doubled: for one factor the logarithm of its ratio.
double effect(const Factorial& design, const std::vector<std::size_t>& factors) {
  double sum = 0;
  for (std::size_t run = 0; run < design.times.size(); ++run) {
    double sign = 1;
    for (const std::size_t factor : factors) sign *= high(run, factor) ? 1 : -1;
    sum += sign * std::log(design.times[run]);
  }
  return 2 * sum / static_cast<double>(design.times.size());
}

// Each value less the mean of its group; the groups are the levels of some factors.
std::vector<double> centred(std::vector<double> values, const std::vector<std::size_t>& apart) {
  std::map<std::size_t, std::pair<double, double>> groups;  // sum and count
  const auto group = [&](std::size_t run) {
    std::size_t bits = 0;
    for (const std::size_t factor : apart) bits = 2 * bits + (high(run, factor) ? 1 : 0);
    return bits;
  };
  for (std::size_t run = 0; run < values.size(); ++run) {
    groups[group(run)].first += values[run];
    groups[group(run)].second += 1;
  }
  for (std::size_t run = 0; run < values.size(); ++run) {
    const auto& [sum, count] = groups[group(run)];
    values[run] -= sum / count;
  }
  return values;
}

std::string words(const Factorial& design, std::size_t run) {
  std::vector<std::string> all;
  for (std::size_t f = 0; f < design.factors.size(); ++f) {
    const Factor& factor = design.factors[f];
    all.push_back(fmt::format("{} {}", factor.name, high(run, f) ? factor.high : factor.low));
  }
  return listed(all);
}

std::string name(const Factorial& design, const Effect& one) {
  std::string text;
  for (const std::size_t factor : one.factors) text += (text.empty() ? "" : " with ") + design.factors[factor].name;
  return text;
}

// How far from no effect, in either direction.
double size(const Effect& one) { return std::abs(std::log(one.ratio)); }

bool complete(const Factorial& design) {
  return design.times.size() == std::size_t{1} << design.factors.size() &&
         std::ranges::none_of(design.known, [](bool known) { return !known; });
}

}  // namespace

std::vector<Effect> effects(const Factorial& design) {
  std::vector<Effect> all;
  const std::size_t count = design.factors.size();
  for (std::size_t f = 0; f < count; ++f) all.push_back({{f}, std::exp(effect(design, {f}))});
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t g = f + 1; g < count; ++g) all.push_back({{f, g}, std::exp(effect(design, {f, g}))});
  }
  std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                   [](const Effect& a, const Effect& b) { return size(a) > size(b); });
  return all;
}

double goes_with(const Factorial& design, std::string_view fact, const std::vector<std::size_t>& apart) {
  std::vector<double> times, values;
  for (std::size_t run = 0; run < design.facts.size(); ++run) {
    const auto found = design.facts[run].find(std::string(fact));
    if (found == design.facts[run].end()) return kNothing;
    values.push_back(found->second);
    times.push_back(std::log(design.times[run]));
  }
  times = centred(std::move(times), apart);
  values = centred(std::move(values), apart);
  double tv = 0, tt = 0, vv = 0;
  for (std::size_t run = 0; run < values.size(); ++run) {
    tv += times[run] * values[run];
    tt += times[run] * times[run];
    vv += values[run] * values[run];
  }
  return tt > 1e-12 && vv > 1e-12 ? tv / std::sqrt(tt * vv) : kNothing;
}

Table effect_table(const Factorial& design, std::size_t pairs) {
  Table out;
  out.columns = {{"factor", "factor", Align::left},
                 {"low", "from", Align::left},
                 {"high", "to", Align::left},
                 {"time_ratio", "time, times", Align::right, 3}};
  if (!complete(design)) return out;
  for (const Effect& one : effects(design)) {
    if (one.factors.size() > 1 && pairs-- == 0) break;
    const bool alone = one.factors.size() == 1;
    const Factor& factor = design.factors[one.factors[0]];
    out.rows.push_back({name(design, one), alone ? factor.low : "", alone ? factor.high : "", one.ratio});
  }
  return out;
}

std::vector<std::string> conclude(const Factorial& design, const std::vector<Named>& facts,
                                  const std::vector<std::size_t>& apart) {
  if (!complete(design)) return {"Not every spelling was timed, so there is nothing to be said about what one does."};
  std::vector<std::string> out;
  const auto [fastest, slowest] = std::ranges::minmax_element(design.times);
  const auto run = [&](auto at) { return static_cast<std::size_t>(at - design.times.begin()); };
  out.push_back(fmt::format("The slowest ({}) takes {:.3f} times as long as the fastest ({}).",
                            words(design, run(slowest)), *slowest / *fastest, words(design, run(fastest))));
  std::vector<std::string> told;
  for (const Effect& one : effects(design)) {
    if (size(one) < kWorthTelling) continue;
    told.push_back(fmt::format("{} {:.3f}", name(design, one), one.ratio));
  }
  out.push_back(told.empty()
                    ? fmt::format("No factor, and no two together, change the time by {:.0f} %.", 100 * kWorthTelling)
                    : fmt::format("What changes the time by {:.0f} % or more, as ratios to its first level: {}.",
                                  100 * kWorthTelling, listed(told)));

  struct Found {
    std::string_view words;
    double correlation;
  };
  std::vector<Found> found;
  for (const Named& one : facts) {
    const double r = goes_with(design, one.fact, apart);
    if (!std::isnan(r)) found.push_back({one.words, r});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return std::abs(a.correlation) > std::abs(b.correlation); });
  std::vector<std::string> among;
  among.reserve(apart.size());
  for (const std::size_t factor : apart) among.push_back(design.factors[factor].name);
  if (found.empty()) return out;
  std::vector<std::string> close;
  for (const Found& one : found) {
    if (std::abs(one.correlation) >= kCloseTo && close.size() < 3)
      close.push_back(fmt::format("{} ({:+.2f})", one.words, one.correlation));
  }
  out.push_back(
      close.empty()
          ? fmt::format("Among spellings of the same {} no fact goes with the time; the nearest is {} ({:+.2f}).",
                        listed(among), found[0].words, found[0].correlation)
          : fmt::format("Among spellings of the same {} the time goes with {} (correlation).", listed(among),
                        listed(close)));
  return out;
}

}  // namespace cairn::lab
