#include "lab/experiments/transpose_findings.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "lab/measure/statistics.hpp"

namespace cairn::lab {
namespace {

constexpr const char* kLevels[] = {"-O0", "-O3"};

// What could make the difference, and what to call it. All are counts but the rates, which are percentages.
struct Candidate {
  std::string_view counter, words;
};
constexpr Candidate kCandidates[] = {
    {"inst_executed", "instructions"},
    {"registers", "registers a thread"},
    {"occupancy_achieved", "achieved occupancy"},
    {"global_load_sectors", "sectors loaded"},
    {"global_store_sectors", "sectors stored"},
    {"local_load_sectors", "sectors of local memory loaded"},
    {"local_store_sectors", "sectors of local memory stored"},
    {"shared_load_wavefronts", "wavefronts of shared loads"},
    {"l1_hit_rate", "L1 hit rate"},
    {"l2_hit_rate", "L2 hit rate"},
    {"dram_bytes_read", "DRAM bytes read"},
    {"dram_bytes_written", "DRAM bytes written"},
};

// A counter is the same at both levels if it moves by no more than this: hit rates and DRAM traffic are never quite
// the same twice.
constexpr double kSame = 0.03;

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster: return "faster than";
    case Verdict::slower: return "slower than";
    case Verdict::undecided: break;
  }
  return "not told apart from";
}

std::string pair_at(const Timed& a, const Timed& b, const char* level) {
  return fmt::format("at {} {} is {} {} ({:.2f} and {:.2f} µs)", level, a.name, word(compare(a, b)), b.name,
                     measure::median(a.samples), measure::median(b.samples));
}

std::string first_two(const Timed (&a)[2], const Timed (&b)[2], const char* caches) {
  const Verdict at[2] = {compare(a[0], b[0]), compare(a[1], b[1])};
  const bool decided = at[0] != Verdict::undecided && at[1] != Verdict::undecided;
  const char* conclusion = decided && at[0] != at[1] ? "the order flips with the optimizer"
                           : at[0] == at[1]          ? "the optimizer does not change their order"
                                                     : "one level decides and the other does not";
  return fmt::format("With {} caches, {} and {}: {}.", caches, pair_at(a[1], b[1], kLevels[1]),
                     pair_at(a[0], b[0], kLevels[0]), conclusion);
}

struct Change {
  std::string_view words;
  double from = 0, to = 0;  // at -O3, at -O0

  bool same() const { return std::abs(to - from) <= kSame * std::max(std::abs(from), std::abs(to)); }
  // How many times as much or as little; what appears from nothing counts most.
  double size() const {
    if (same()) return 1;
    return from == 0 || to == 0 ? HUGE_VAL : std::max(to / from, from / to);
  }
};

std::vector<Change> changes(const Levelled& one) {
  std::vector<Change> all;
  for (const Candidate& candidate : kCandidates) {
    const auto o0 = one.counted[0].find(std::string(candidate.counter));
    const auto o3 = one.counted[1].find(std::string(candidate.counter));
    if (o0 == one.counted[0].end() || o3 == one.counted[1].end()) continue;
    all.push_back({candidate.words, o3->second, o0->second});
  }
  std::stable_sort(all.begin(), all.end(), [](const Change& a, const Change& b) { return a.size() > b.size(); });
  return all;
}

// Counts in full, rates with a few digits.
std::string digits(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// "transpose/1, from -O3 to -O0: instructions 51200 to 460800 (9.00 times), …; the same: sectors loaded, …"
std::string counted(const Levelled& one) {
  std::vector<std::string> moved, same;
  for (const Change& change : changes(one)) {
    if (change.from == 0 && change.to == 0) continue;
    if (change.same()) {
      same.emplace_back(change.words);
    } else if (change.from == 0) {
      moved.push_back(fmt::format("{} {} where there were none", change.words, digits(change.to)));
    } else {
      moved.push_back(fmt::format("{} {} to {} ({:.2f} times)", change.words, digits(change.from), digits(change.to),
                                  change.to / change.from));
    }
  }
  return fmt::format("{}, from -O3 to -O0: {}; the same to {:.0f} %: {}.", one.name,
                     moved.empty() ? "nothing changes" : listed(moved), 100 * kSame,
                     same.empty() ? "nothing" : listed(same));
}

// The counter that moves most in both of the two.
std::string explanation(const Levelled& a, const Levelled& b) {
  const auto of_a = changes(a), of_b = changes(b);
  std::string_view best;
  double most = 1;
  for (const Change& change : of_a) {
    const auto other =
        std::find_if(of_b.begin(), of_b.end(), [&](const Change& c) { return c.words == change.words; });
    const double size = other == of_b.end() ? 1 : std::min(change.size(), other->size());
    if (size > most) most = size, best = change.words;
  }
  if (best.empty()) return "No counter moves in both of them by more than its noise: none explains the times.";
  return fmt::format("The counter that the optimizer changes most in both of them: {}.", best);
}

}  // namespace

std::vector<std::string> compare_levels(const std::vector<Levelled>& all) {
  std::vector<std::string> out;
  if (all.size() < 2) return out;
  const Levelled &a = all[0], &b = all[1];
  const auto timed = [](const Timed(&one)[2]) { return !one[0].samples.empty() && !one[1].samples.empty(); };
  if (timed(a.cold) && timed(b.cold)) out.push_back(first_two(a.cold, b.cold, "cold"));
  if (timed(a.hot) && timed(b.hot)) out.push_back(first_two(a.hot, b.hot, "hot"));
  if (a.counted[0].empty() || b.counted[0].empty()) return out;
  out.push_back(counted(a));
  out.push_back(counted(b));
  out.push_back(explanation(a, b));
  return out;
}

}  // namespace cairn::lab
