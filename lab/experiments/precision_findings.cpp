#include "lab/experiments/precision_findings.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "lab/experiments/comparing.hpp"

namespace cairn::lab {
namespace {

constexpr std::string_view kExact = "simt/22 f32", kSplit = "tensor/40 split", kOneSign = "U(0, 1)";
constexpr std::int64_t kFrom = 1024;
constexpr double kWorseForOneSign = 1.5;

template <class F> std::vector<std::string> distinct(const std::vector<Erring>& all, F&& of) {
  std::vector<std::string> found;
  for (const Erring& one : all) {
    const std::string text = of(one);
    if (std::ranges::find(found, text) == found.end()) found.push_back(text);
  }
  return found;
}

const Erring* at(const std::vector<Erring>& all, std::string_view numbers, std::string_view way, std::int64_t k) {
  for (const Erring& one : all) {
    if (one.numbers == numbers && one.way() == way && one.k == k) return &one;
  }
  return nullptr;
}

std::int64_t last_k(const std::vector<Erring>& all) {
  std::int64_t last = 0;
  for (const Erring& one : all) last = std::max(last, one.k);
  return last;
}

std::string grown(const std::vector<Growth>& all, const std::string& numbers) {
  std::vector<std::string> words;
  for (const Growth& one : all) {
    if (one.numbers == numbers) words.push_back(fmt::format("K^{:.2f} for {}", one.power, one.way));
  }
  return fmt::format("{}: what adding up costs grows as {}.", numbers, listed(words));
}

// Who rounds its factors, and what that alone costs.
std::string rounded(const std::vector<Erring>& all, const std::string& numbers, std::int64_t k) {
  std::vector<std::string> words;
  for (const Erring& one : all) {
    if (one.numbers == numbers && one.k == k && one.factors > 0)
      words.push_back(
          fmt::format("{} errs by {:.1e} ({:.1e} if sums were exact)", one.way(), one.error, one.factors));
  }
  if (words.empty()) return "";
  return fmt::format("{}, K = {}: {}.", numbers, k, listed(words));
}

std::string beside_f32(const std::vector<Erring>& all, const std::string& numbers) {
  std::vector<std::string> words;
  for (const Erring& one : all) {
    const Erring* exact = at(all, numbers, kExact, one.k);
    if (one.numbers != numbers || one.way() != kSplit || exact == nullptr || exact->error == 0) continue;
    words.push_back(fmt::format("{:.2f} at K = {}", one.error / exact->error, one.k));
  }
  if (words.empty()) return "";
  return fmt::format("{}: the error of {} over that of {} is {}.", numbers, kSplit, kExact, listed(words));
}

// The claims that do not hold, and how many were looked at.
std::vector<std::string> broken(const std::vector<Erring>& all, int& looked_at) {
  std::vector<std::string> out;
  for (const Erring& one : all) {
    const Erring* exact = at(all, one.numbers, kExact, one.k);
    if (one.way() != kSplit || one.k < kFrom || exact == nullptr) continue;
    ++looked_at;
    const double allowed = one.numbers == kOneSign ? kWorseForOneSign : 1;
    if (!(one.error <= allowed * exact->error))
      out.push_back(fmt::format("{}, K = {}: {:.3g}, and f32 {:.3g}", one.numbers, one.k, one.error, exact->error));
  }
  return out;
}

}  // namespace

double growth(const std::vector<std::pair<double, double>>& points) {
  std::vector<std::pair<double, double>> logs;
  logs.reserve(points.size());
  double mean_k = 0, mean_error = 0;
  for (const auto& [k, error] : points) {
    if (!(k > 0 && error > 0)) continue;
    logs.emplace_back(std::log(k), std::log(error));
    mean_k += logs.back().first, mean_error += logs.back().second;
  }
  const auto n = static_cast<double>(logs.size());
  double both = 0, spread = 0;
  for (const auto& [k, error] : logs) {
    both += (k - mean_k / n) * (error - mean_error / n);
    spread += (k - mean_k / n) * (k - mean_k / n);
  }
  return spread > 1e-9 ? both / spread : 0;
}

std::vector<Growth> growths(const std::vector<Erring>& all) {
  std::vector<Growth> out;
  for (const std::string& numbers : distinct(all, [](const Erring& one) { return one.numbers; })) {
    for (const std::string& way : distinct(all, [](const Erring& one) { return one.way(); })) {
      std::vector<std::pair<double, double>> points;
      for (const Erring& one : all) {
        if (one.numbers == numbers && one.way() == way) points.emplace_back(static_cast<double>(one.k), one.sums);
      }
      if (!points.empty()) out.push_back({numbers, way, growth(points)});
    }
  }
  return out;
}

Conclusions compare_errors(const std::vector<Erring>& all) {
  Conclusions out;
  const auto grow = growths(all);
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) out.sentences.push_back(std::move(sentence));
  };
  for (const std::string& numbers : distinct(all, [](const Erring& one) { return one.numbers; })) {
    add(grown(grow, numbers));
    add(rounded(all, numbers, last_k(all)));
    add(beside_f32(all, numbers));
  }
  int looked_at = 0;
  const auto wrong = broken(all, looked_at);
  out.holds = wrong.empty();
  if (looked_at == 0) return out;
  const std::string claim =
      fmt::format("Claimed: from K = {} on {} errs no more than {}, for {} no more than {} times.", kFrom, kSplit,
                  kExact, kOneSign, kWorseForOneSign);
  add(out.holds ? claim + " It holds." : claim + " It does not hold: " + listed(wrong) + ".");
  return out;
}

}  // namespace cairn::lab
