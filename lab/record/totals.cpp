#include "lab/record/totals.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

// A contender in a type, while its ratios are collected.
struct Gathered {
  Total total;
  bool timed = false;
  double logs = 0;
};

// The short form begins with it.
std::string type_of(const Problem& problem) {
  const std::string text = problem.brief();
  return text.substr(0, text.find(' '));
}

void take(double ratio, const std::string& problem, Gathered& one) {
  Total& total = one.total;
  if (total.compared == 0 || ratio < total.worst) total.worst = ratio, total.worst_problem = problem;
  if (total.compared == 0 || ratio > total.best) total.best = ratio, total.best_problem = problem;
  ++total.compared;
  one.logs += std::log(ratio);
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
    if (timed && its->ratio) take(its->ratio->median, problem_text(row), *found);
  }
  std::vector<Total> out;
  const bool any = std::ranges::any_of(all, [](const Gathered& one) { return one.total.compared > 0; });
  if (!any || problems.size() < 2) return out;
  for (Gathered& one : all) {
    if (!one.timed) continue;
    if (one.total.compared > 0) one.total.mean = std::exp(one.logs / static_cast<double>(one.total.compared));
    out.push_back(std::move(one.total));
  }
  return out;
}

Table totals_table(const Record& record) {
  Table table;
  const auto all = totals(record);
  if (all.empty()) return table;
  table.columns = {{"id", "id", Align::left}, {"type", "type", Align::left},
                   {"problems", "problems"},  {"mean", "geometric mean vs strongest baseline"},
                   {"worst", "worst"},        {"worst_problem", "on", Align::left},
                   {"best", "best"},          {"best_problem", "on", Align::left}};
  table.spare = {"best_problem", "worst_problem", "problems"};
  for (const Total& total : all) {
    const bool all_compared = total.compared == total.problems;
    std::vector<Cell> cells = {
        total.id, total.type,
        all_compared ? fmt::format("{}", total.problems) : fmt::format("{} of {}", total.compared, total.problems)};
    if (total.compared > 0)
      cells.insert(cells.end(), {total.mean, total.worst, total.worst_problem, total.best, total.best_problem});
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace cairn::lab::record
