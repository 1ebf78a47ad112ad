#include "lab/experiments/precision_findings.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "lab/experiments/comparing.hpp"

namespace cairn::lab {
namespace {

constexpr std::string_view kExact = "simt/22 f32", kVendor = "cublas/gemm_ex f32", kOneSign = "U(0, 1)";
// Of these a few elements are nearly all of |C|, and an error of all elements says little.
constexpr std::string_view kUneven[] = {"exp(4 N(0, 1))", "rows 2^±60"};
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

bool drawn_so(const std::vector<Erring>& all, std::string_view numbers) {
  return std::ranges::any_of(all, [&](const Erring& one) { return one.numbers == numbers; });
}
bool is_split(const Erring& one) { return one.type == "split"; }
bool is_hoppers(const Erring& one) { return is_split(one) && one.name.starts_with("hopper/"); }

// The f32 whose rows Hopper's split is claimed to be as good as; of a record without that measure there is none.
const Erring* beside_rows(const std::vector<Erring>& all, const Erring& one) {
  const Erring* f32 = at(all, one.numbers, kVendor, one.k);
  if (f32 == nullptr) f32 = at(all, one.numbers, kExact, one.k);
  return f32 == nullptr || f32->rowwise == 0 || one.rowwise == 0 ? nullptr : f32;
}

std::string beside_f32(const std::vector<Erring>& all, const std::string& numbers, const std::string& way) {
  std::vector<std::string> words;
  for (const Erring& one : all) {
    const Erring* exact = at(all, numbers, kExact, one.k);
    if (one.numbers != numbers || one.way() != way || exact == nullptr || exact->error == 0) continue;
    words.push_back(fmt::format("{:.2f} at K = {}", one.error / exact->error, one.k));
  }
  if (words.empty()) return "";
  return fmt::format("{}: the error of {} over that of {} is {}.", numbers, way, kExact, listed(words));
}

std::string rows_beside_f32(const std::vector<Erring>& all, const std::string& numbers, const std::string& way) {
  std::vector<std::string> words;
  std::string f32;
  for (const Erring& one : all) {
    if (one.numbers != numbers || one.way() != way) continue;
    const Erring* beside = beside_rows(all, one);
    if (beside == nullptr) continue;
    f32 = beside->way();
    words.push_back(fmt::format("{:.2f} at K = {}", one.rowwise / beside->rowwise, one.k));
  }
  if (words.empty()) return "";
  return fmt::format("{}: the largest error of a row by {} over that by {} is {}.", numbers, way, f32, listed(words));
}

// A claim about split: the ways it is about, the f32 they are compared with, and where it does not hold.
struct Claim {
  std::vector<std::string> about, of, wrong;  // `of`: ways of drawing numbers
  std::string f32;

  void judge(const Erring& one, const Erring& beside, double error, double allowed) {
    f32 = beside.way();
    if (std::ranges::find(about, one.way()) == about.end()) about.push_back(one.way());
    if (std::ranges::find(of, one.numbers) == of.end()) of.push_back(one.numbers);
    if (error <= allowed) return;  // a NaN is not
    wrong.push_back(fmt::format("{}, K = {}, {}: {:.3g}, and at most {:.3g} allowed", one.numbers, one.k, one.way(),
                                error, allowed));
  }
  std::string judged(const std::string& claim) const {
    return claim + (wrong.empty() ? " It holds." : " It does not hold: " + listed(wrong) + ".");
  }
};

Claim of_all_elements(const std::vector<Erring>& all) {
  Claim out;
  for (const Erring& one : all) {
    const Erring* exact = at(all, one.numbers, kExact, one.k);
    const bool even = std::ranges::find(kUneven, one.numbers) == std::end(kUneven);
    if (is_split(one) && one.k >= kFrom && exact != nullptr && even)
      out.judge(one, *exact, one.error, (one.numbers == kOneSign ? kWorseForOneSign : 1) * exact->error);
  }
  return out;
}

Claim of_rows(const std::vector<Erring>& all) {
  Claim out;
  for (const Erring& one : all) {
    if (!is_hoppers(one) || one.k < kFrom) continue;
    if (const Erring* f32 = beside_rows(all, one)) out.judge(one, *f32, one.rowwise, f32->rowwise);
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
  std::vector<std::string> splits = distinct(all, [](const Erring& one) { return is_split(one) ? one.way() : ""; });
  std::erase(splits, "");
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) out.sentences.push_back(std::move(sentence));
  };
  for (const std::string& numbers : distinct(all, [](const Erring& one) { return one.numbers; })) {
    add(grown(grow, numbers));
    add(rounded(all, numbers, last_k(all)));
    for (const std::string& way : splits) {
      add(beside_f32(all, numbers, way));
      add(rows_beside_f32(all, numbers, way));
    }
  }
  const Claim elements = of_all_elements(all), rows = of_rows(all);
  out.holds = elements.wrong.empty() && rows.wrong.empty();
  const bool all_numbers = std::ranges::all_of(kUneven, [&](std::string_view one) { return !drawn_so(all, one); });
  if (!elements.about.empty())
    add(elements.judged(fmt::format("Claimed{}: from K = {} on {} {} no more than {}, for {} no more than {} times.",
                                    all_numbers ? "" : " of " + listed(elements.of), kFrom, listed(elements.about),
                                    elements.about.size() == 1 ? "errs" : "err", elements.f32, kOneSign,
                                    kWorseForOneSign)));
  if (!rows.about.empty())
    add(rows.judged(fmt::format("Claimed: from K = {} on the largest error of a row by {} is at most that by {}.",
                                kFrom, listed(rows.about), rows.f32)));
  return out;
}

}  // namespace cairn::lab
