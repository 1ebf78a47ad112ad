#include "lab/experiments/timing_findings.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "lab/experiments/comparing.hpp"
#include "lab/measure/statistics.hpp"

namespace cairn::lab {
namespace {

bool has(const std::vector<Clocked>& all, std::size_t clock) {
  return std::none_of(all.begin(), all.end(), [&](const Clocked& one) { return one.us[clock].empty(); });
}

std::vector<std::size_t> clocks_of(const std::vector<Clocked>& all) {
  std::vector<std::size_t> present;
  for (std::size_t clock = 0; clock < kClocks.size(); ++clock) {
    if (has(all, clock)) present.push_back(clock);
  }
  return present;
}

Timed by(const Clocked& one, std::size_t clock) { return {one.name, one.us[clock]}; }

// "events minus profiler is +2.10 to +4.00 µs (at most 1.50 times its 4.20 µs, for transpose/4)"
std::string distance(const std::vector<Clocked>& all, std::size_t clock, std::size_t to) {
  double least = 0, most = 0, largest = 0, beside = 0;
  std::string where;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double here = measure::median(all[i].us[clock]), there = measure::median(all[i].us[to]);
    least = i == 0 ? here - there : std::min(least, here - there);
    most = i == 0 ? here - there : std::max(most, here - there);
    if (i == 0 || here / there > largest) largest = here / there, beside = there, where = all[i].name;
  }
  return fmt::format("{} minus {} is {:+.2f} to {:+.2f} µs (at most {:.2f} times its {:.2f} µs, for {})",
                     kClocks[clock], kClocks[to], least, most, largest, beside, where);
}

std::string distances(const std::vector<Clocked>& all, const std::vector<std::size_t>& clocks) {
  const std::size_t to = clocks.back();
  std::vector<std::string> each;
  for (const std::size_t clock : clocks) {
    if (clock != to) each.push_back(distance(all, clock, to));
  }
  return each.empty() ? "" : fmt::format("Medians: {}.", listed(each));
}

// One line where all clocks find one order, else a line for each.
void add_orders(const std::string& group, const std::vector<Clocked>& members, const std::vector<std::size_t>& clocks,
                std::vector<std::string>& out) {
  std::vector<std::string> orders;
  for (const std::size_t clock : clocks) {
    std::vector<Timed> timed;
    timed.reserve(members.size());
    for (const Clocked& one : members) timed.push_back(by(one, clock));
    orders.push_back(order(std::move(timed)));
  }
  if (std::all_of(orders.begin(), orders.end(), [&](const auto& o) { return o == orders[0]; })) {
    out.push_back(fmt::format("The {}, fastest first, by every clock: {}.", group, orders[0]));
    return;
  }
  std::vector<std::string> each;
  for (std::size_t i = 0; i < clocks.size(); ++i)
    each.push_back(fmt::format("{} by the {}", orders[i], kClocks[clocks[i]]));
  out.push_back(fmt::format("The {}, fastest first: {}.", group, fmt::join(each, "; ")));
}

struct Disputes {
  std::vector<std::string> turned, weakened;
};

// Pairs on which two clocks decide differently, and pairs that one decides and another does not.
void find_disputes(const std::vector<Clocked>& members, const std::vector<std::size_t>& clocks, Disputes& out) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      std::map<Verdict, std::vector<std::string>> said;
      for (const std::size_t clock : clocks) {
        said[compare(by(members[i], clock), by(members[j], clock))].emplace_back(kClocks[clock]);
      }
      const std::string &a = members[i].name, &b = members[j].name;
      if (said.contains(Verdict::faster) && said.contains(Verdict::slower)) {
        out.turned.push_back(fmt::format("{} is faster than {} by the {} and slower by the {}", a, b,
                                         listed(said[Verdict::faster]), listed(said[Verdict::slower])));
      } else if (said.size() > 1) {
        out.weakened.push_back(
            fmt::format("{} and {} are not told apart by the {}", a, b, listed(said[Verdict::undecided])));
      }
    }
  }
}

}  // namespace

std::vector<std::string> compare_clocks(const std::vector<Clocked>& all) {
  const auto clocks = clocks_of(all);
  std::vector<std::string> out;
  if (all.empty() || clocks.size() < 2) return out;
  out.push_back(distances(all, clocks));

  std::vector<std::string> groups;
  for (const Clocked& one : all) {
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) groups.push_back(one.group);
  }
  Disputes disputes;
  for (const std::string& group : groups) {
    std::vector<Clocked> members;
    for (const Clocked& one : all) {
      if (one.group == group) members.push_back(one);
    }
    add_orders(group, members, clocks, out);
    find_disputes(members, clocks, disputes);
  }
  out.push_back(disputes.turned.empty()
                    ? "No two of them change places from one clock to another."
                    : fmt::format("The clock decides who is faster: {}.", fmt::join(disputes.turned, "; ")));
  if (!disputes.weakened.empty()) {
    out.push_back(fmt::format("Decided by some clocks only: {}.", fmt::join(disputes.weakened, "; ")));
  }
  return out;
}

}  // namespace cairn::lab
