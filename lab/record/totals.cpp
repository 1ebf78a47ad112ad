#include "lab/record/totals.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lab/measure/statistics.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// A contender in a type, while its ratios are collected.
struct Gathered {
  Total total;
  bool timed = false;
  bool always_strongest = true;  // it is itself the baseline of all its problems
  std::vector<RatioOn> ratios = {};
};

constexpr std::size_t kWorst = 5;

// The short form begins with it.
std::string type_of(const Problem& problem) {
  const std::string text = problem.brief();
  return text.substr(0, text.find(' '));
}

// What its ratios come to.
Total finished(Gathered one) {
  Total& total = one.total;
  if (one.ratios.empty()) return total;
  total.compared = std::ssize(one.ratios);
  double logs = 0;
  std::vector<double> numbers;
  for (const auto& [ratio, problem] : one.ratios) logs += std::log(ratio), numbers.push_back(ratio);
  total.mean = std::exp(logs / static_cast<double>(total.compared));
  total.median = measure::median(numbers);
  total.fifth_percentile = measure::quantile(numbers, 0.05);
  const auto best = std::ranges::max_element(one.ratios, {}, &RatioOn::ratio);  // the first of equals
  total.best = best->ratio, total.best_problem = best->problem;
  std::ranges::stable_sort(one.ratios, {}, &RatioOn::ratio);
  total.worst = one.ratios[0].ratio, total.worst_problem = one.ratios[0].problem;
  one.ratios.resize(std::min(one.ratios.size(), kWorst));
  total.worst_five = std::move(one.ratios);
  return total;
}

}  // namespace

std::vector<Total> totals(const Record& record, const std::function<bool(const Problem&)>& counts) {
  std::vector<Gathered> all;
  std::set<std::string> problems;
  const auto lines = summarize(record);
  auto line = lines.begin();  // lines are in the order of the rows, and only of those that were timed
  for (const Row& row : record.rows) {
    const bool timed = line != lines.end() && line->row == &row;
    const Line* const its = timed ? &*line++ : nullptr;
    if (row.work != "product") continue;
    const Problem problem = problem_of(row);
    if (counts && !counts(problem)) continue;
    problems.insert(row.problem);
    const std::string type = type_of(problem);
    auto found = std::ranges::find_if(
        all, [&](const Gathered& one) { return one.total.id == row.id && one.total.type == type; });
    if (found == all.end()) {
      found = all.insert(all.end(), Gathered{});
      found->total.id = row.id, found->total.type = type;
    }
    ++found->total.problems;
    found->timed = found->timed || timed;
    if (timed && its->ratio) found->ratios.push_back({its->ratio->median, problem_text(row)});
    if (timed && its->baseline != &row) found->always_strongest = false;
  }
  std::vector<Total> out;
  const bool any = std::ranges::any_of(all, [](const Gathered& one) { return !one.ratios.empty(); });
  if (!any || problems.size() < 2) return out;
  for (Gathered& one : all) {
    // Of a drawn suite the record keeps the strongest baseline of each problem, with a ratio of 1 on each.
    const bool of_interest = !record.drawn || !one.always_strongest;
    if (one.timed && of_interest) out.push_back(finished(std::move(one)));
  }
  return out;
}

Table totals_table(const Record& record) {
  Table table;
  const auto all = totals(record);
  if (all.empty()) return table;
  table.columns = {{"id", "id", Align::left}, {"type", "type", Align::left},
                   {"problems", "problems"},  {"mean", "geometric mean vs strongest baseline"},
                   {"median", "median"},      {"fifth_percentile", "5th percentile"},
                   {"worst", "worst"},        {"worst_problem", "on", Align::left},
                   {"best", "best"},          {"best_problem", "on", Align::left}};
  table.spare = {"best_problem", "worst_problem", "problems", "best"};
  for (const Total& total : all) {
    const bool all_compared = total.compared == total.problems;
    std::vector<Cell> cells = {
        total.id, total.type,
        all_compared ? fmt::format("{}", total.problems) : fmt::format("{} of {}", total.compared, total.problems)};
    if (total.compared > 0)
      cells.insert(cells.end(), {total.mean, total.median, total.fifth_percentile, total.worst, total.worst_problem,
                                 total.best, total.best_problem});
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table worst_table(const Record& record) {
  const auto all = totals(record);
  std::set<std::string> ids;
  for (const Row& row : record.rows)
    if (!row.baseline && row.work == "product") ids.insert(row.id);
  const std::string id = ids.size() == 1 ? *ids.begin() : "cairn";
  Table table;
  for (const Total& total : all) {
    if (total.id != id || total.compared <= std::ssize(total.worst_five)) continue;
    for (const auto& [ratio, problem] : total.worst_five) table.rows.push_back({total.id, problem, ratio});
  }
  if (!table.rows.empty())
    table.columns = {{"id", "id", Align::left},
                     {"problem", "the five worst problems", Align::left},
                     {"ratio", "vs strongest baseline"}};
  return table;
}

}  // namespace cairn::lab::record
