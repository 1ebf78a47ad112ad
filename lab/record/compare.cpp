#include "lab/record/compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/record/drawn.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// Whether the row has a ratio to another row.
bool has_ratio(const Line& line) { return line.ratio.has_value() && line.baseline != line.row; }

Pair pair_of(const Line& before, const Line& after, double within) {
  Pair pair;
  pair.before = before, pair.after = after;
  if (has_ratio(before) && has_ratio(after) && before.baseline->id == after.baseline->id) {
    pair.by_ratio = true;
    pair.interval_before = before.ratio->interval;
    pair.interval_after = after.ratio->interval;
  } else {
    pair.interval_before = before.interval_ms;
    pair.interval_after = after.interval_ms;
  }
  pair.agree = pair.interval_after.high >= pair.interval_before.low * (1 - within) &&
               pair.interval_after.low <= pair.interval_before.high * (1 + within);
  return pair;
}

bool same_row(const Row& a, const Row& b) {
  return a.id == b.id && a.work == b.work && problem_of(a) == problem_of(b) && a.scalars == b.scalars;
}

// Why a record has no times of a row of the other: it was refused, or failed, or is not there.
std::string reason(const Row& row, const Record& other) {
  for (const Row& candidate : other.rows) {
    if (!same_row(candidate, row)) continue;
    if (!candidate.refused.empty()) return ": refused: " + candidate.refused;
    if (candidate.failed()) return ": failed: " + candidate.verified;
  }
  return "";
}

std::string says_only(const char* which, const Row& row, const Record& other) {
  return fmt::format("only in the {} record: {}, {}{}", which, row.id, problem_text(row), reason(row, other));
}

std::string method_text(const Record& record) {
  const Method& m = record.method;
  return fmt::format("{} caches{}, {} s, {} samples or more, {} % precision, seed {}", m.cache,
                     m.sustained ? ", sustained load" : "", m.seconds, m.at_least, 100 * m.precision, record.seed);
}

std::vector<std::string> differences(const Record& a, const Record& b) {
  std::vector<std::string> lines;
  const auto say = [&](const char* what, const std::string& before, const std::string& after) {
    if (before != after) lines.push_back(fmt::format("different {}: {} | {}", what, before, after));
  };
  say("devices", a.machine.name, b.machine.name);
  say("software", a.machine.software, b.machine.software);
  say("notes", fmt::format("{}", fmt::join(a.notes, ", ")), fmt::format("{}", fmt::join(b.notes, ", ")));
  say("kinds", a.kind, b.kind);
  say("methods", method_text(a), method_text(b));
  say("suites", drawn_text(a), drawn_text(b));
  say("commits", a.build.commit, b.build.commit);
  say("builds", a.build.type + ", " + a.build.compiler, b.build.type + ", " + b.build.compiler);
  return lines;
}

}  // namespace

double Pair::slower() const {
  if (agree) return 0;
  return std::max(by_ratio ? before.ratio->median / after.ratio->median - 1 : change(), 0.0);
}

std::int64_t Comparison::agreeing() const {
  return std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.agree; });
}

double Comparison::percent() const {
  return pairs.empty() ? 0 : 100 * static_cast<double>(agreeing()) / static_cast<double>(pairs.size());
}

Comparison compare(const Record& before, const Record& after, double within_percent) {
  Comparison result;
  result.differences = differences(before, after);
  std::vector<Line> unmatched = summarize(after);  // a row that was measured twice is matched once
  for (const Line& line : summarize(before)) {
    const auto twin = std::find_if(unmatched.begin(), unmatched.end(),
                                   [&](const Line& other) { return same_row(*line.row, *other.row); });
    if (twin == unmatched.end()) {
      result.only.push_back(says_only("old", *line.row, after));
      ++result.vanished;
      continue;
    }
    result.pairs.push_back(pair_of(line, *twin, within_percent / 100));
    unmatched.erase(twin);
  }
  for (const Line& line : unmatched) result.only.push_back(says_only("new", *line.row, before));
  return result;
}

}  // namespace cairn::lab::record
