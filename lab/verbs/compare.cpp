// cairn compare: whether two measurements agree.
#include "lab/record/compare.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/record/words.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::string before, after;
  double within = 0;
  double require = 0;
  std::optional<double> slower;
  OutputOptions output;
};

std::vector<Column> columns() {
  constexpr Audience people = Audience::people, machines = Audience::machines;
  return {{"id", "id", Align::left},
          {"work", "", Align::left, 0, machines},
          {"problem", "problem", Align::left},
          time_column("old_ms", "old ms"),
          time_column("new_ms", "new ms"),
          {"change_percent", "change %", Align::right, 1},
          {"compared", "compared", Align::left},
          {"old_interval", "old interval", Align::right, 0, people},
          {"old_low", "", Align::right, 4, machines},
          {"old_high", "", Align::right, 4, machines},
          {"new_interval", "new interval", Align::right, 0, people},
          {"new_low", "", Align::right, 4, machines},
          {"new_high", "", Align::right, 4, machines},
          {"agree", "agree"}};
}

std::string text(const measure::Interval& interval) {
  return fmt::format("[{:.4g}, {:.4g}]", interval.low, interval.high);
}

std::vector<Cell> row(const record::Pair& pair) {
  const auto &old = pair.interval_before, &fresh = pair.interval_after;
  const record::Row& which = *pair.before.row;
  return {which.id,
          which.work,
          record::problem_text(which),
          pair.before.median_ms,
          pair.after.median_ms,
          100 * pair.change(),
          pair.by_ratio ? "speed vs " + pair.before.baseline->id : std::string("median ms"),
          text(old),
          old.low,
          old.high,
          text(fresh),
          fresh.low,
          fresh.high,
          pair.agree};
}

// A line for each row that became slower by more than `percent`, beyond what its intervals explain.
std::vector<std::string> slower_rows(const record::Comparison& comparison, double percent) {
  std::vector<std::string> lines;
  for (const record::Pair& pair : comparison.pairs) {
    if (100 * pair.slower() <= percent) continue;
    const record::Row& which = *pair.before.row;
    lines.push_back(one_line(fmt::format("SLOWER by {:.1f} %: {}, {}; --slower allows {} %", 100 * pair.slower(),
                                         which.id, record::problem_text(which), percent)));
  }
  return lines;
}

int run(const Options& options) {
  const Output output(options.output);
  if (!(options.within >= 0 && options.within < 100)) {
    throw Error(kUsage, fmt::format("--within {} must be 0 or more and below 100", options.within));
  }
  if (!(options.require >= 0 && options.require <= 100)) {
    throw Error(kUsage, fmt::format("--require {} must be between 0 and 100", options.require));
  }
  if (options.slower && !(*options.slower >= 0)) {
    throw Error(kUsage, fmt::format("--slower {} must be 0 or more", *options.slower));
  }
  const record::Record before = record::read(options.before);
  const record::Record after = record::read(options.after);
  const record::Comparison comparison = record::compare(before, after, options.within);

  Report report;
  report.before = comparison.differences;
  report.table.columns = columns();
  report.table.spare = {"old_interval", "new_interval", "compared"};
  for (const record::Pair& pair : comparison.pairs) report.table.rows.push_back(row(pair));
  report.after = comparison.only;
  const std::string sum = comparison.pairs.empty()
                              ? "no row is in both records"
                              : fmt::format("{} of {} rows agree ({:.0f} %)", comparison.agreeing(),
                                            comparison.pairs.size(), comparison.percent());
  const bool too_few = comparison.percent() < options.require;
  // A row that is gone agrees with nothing: a contender that no longer runs must not pass as one that agrees.
  const bool gone = options.require > 0 && comparison.vanished > 0;
  if (too_few) {
    report.alarms.push_back(fmt::format("{}; --require asks for {} %", sum, options.require));
  } else {
    report.after.push_back(sum);
  }
  for (auto* lines : {&report.before, &report.after})
    std::ranges::transform(*lines, lines->begin(), one_line);  // they have names of both records
  if (gone)
    report.alarms.push_back(fmt::format("{} of the old record's rows {} not in the new one; --require asks for all",
                                        comparison.vanished, comparison.vanished == 1 ? "is" : "are"));
  const std::vector<std::string> regressions =
      options.slower ? slower_rows(comparison, *options.slower) : std::vector<std::string>{};
  report.alarms.insert(report.alarms.end(), regressions.begin(), regressions.end());
  output.write(report);
  return too_few || gone || !regressions.empty() ? kFailed : kGood;
}

}  // namespace

Action compare_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Say whether two records agree\n"
      "Rows are matched by contender and problem. They agree if the 95 % intervals of their speed against the\n"
      "strongest baseline overlap; those of the median time where there is no such baseline, or the row is it.\n"
      "Change is that of the median time: below 0 the new one is faster.");
  verb.footer(examples({"cairn bench --shape 64 --type f32 --seconds 0.1 --record old.json",
                        "cairn bench --shape 64 --type f32 --seconds 0.1 --record new.json",
                        "cairn compare old.json new.json", "cairn compare old.json old.json --require 100",
                        "cairn compare old.json new.json --slower 100 --format md"}));
  verb.add_option("OLD", options->before, "A record")->required();
  verb.add_option("NEW", options->after, "Another one")->required();
  verb.add_option("--within", options->within, "Widen the old intervals by this many percent at each end")
      ->capture_default_str();
  verb.add_option("--require", options->require,
                  "Exit with 1 if fewer percent of the rows agree, or a row of OLD is not in NEW")
      ->capture_default_str();
  verb.add_option(
      "--slower", options->slower,
      "Exit with 1 if a row became slower by more than this many percent, and its intervals do not overlap");
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
