#include "lab/program/compare_show.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "lab/trace/ratios.hpp"
#include "lab/trace/show.hpp"

namespace cairn::lab::program {
namespace {

using emu::program::Comparison;
using emu::program::Difference;
using emu::program::Memory;
using emu::program::Pair;

constexpr std::size_t kMostRows = 20;

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string verdict(const Judged& judged, const Difference& found) {
  if (!judged.agree(found)) return "differs";
  return found.differing == 0 ? "equal" : "agrees";
}

std::string text_of(const std::vector<Memory>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Memory& one : all) texts.push_back(fmt::format("{} ({} bytes)", one.number, one.bytes));
  return texts.empty() ? "nothing" : fmt::format("allocation {}", fmt::join(texts, ", "));
}

std::string launches_of(const Judged& judged, const Pair& pair) {
  return fmt::format("launch {} ({}) and launch {} ({})", pair.first, judged.seen.first[0], pair.second,
                     judged.seen.second[0]);
}

// Why a pair does not agree.
std::string reason(const Judged& judged, const Pair& pair) {
  if (!pair.failure.empty()) return pair.failure;
  if (pair.buffers.empty()) {
    return fmt::format("what they wrote cannot be matched: the first wrote {}, the second {}",
                       text_of(pair.only_first), text_of(pair.only_second));
  }
  const Difference* worst = &pair.buffers.front();
  for (const Difference& found : pair.buffers)
    if (judged.agree(*worst) || (!judged.agree(found) && relative(found) > relative(*worst))) worst = &found;
  std::string text;
  if (worst->differing > 0) {
    text = fmt::format("element {} is {:.9g} in allocation {} and {:.9g} in allocation {}", worst->at,
                       worst->first_value, worst->first.number, worst->second_value, worst->second.number);
  }
  if (worst->left > 0) {
    text += fmt::format("{}the second left {} element{} unwritten that the first wrote, such as {}",
                        text.empty() ? "" : "; ", worst->left, worst->left == 1 ? "" : "s", worst->gap);
  }
  return text;
}

}  // namespace

std::string heading(const Judged& judged) {
  const Comparison& seen = judged.seen;
  std::string type = name(seen.type);
  if (!seen.type_known) type += " (their pointers are of several types or of none: --compare-type says another)";
  return fmt::format(
      "What {} wrote, beside what {} wrote on the same data, as {}; {}", seen.second[0], seen.first[0], type,
      judged.tolerance == 0 ? "all must be equal."
                            : fmt::format("apart by at most {:.3g} of the largest.", judged.tolerance));
}

Table comparison_table(const Judged& judged, bool brief) {
  constexpr Audience kPeople = Audience::people, kMachines = Audience::machines;
  Table table;
  table.columns = {{"first_kernel", "first", Align::left, 0, kMachines},
                   {"second_kernel", "second", Align::left, 0, kMachines},
                   {"type", "type", Align::left, 0, kMachines},
                   {"tolerance", "tolerance", Align::right, 0, kMachines},
                   {"first_launch", "launch"},
                   {"second_launch", "and"},
                   {"again", "run again", Align::left, 0, kMachines},
                   {"first_allocation", "allocation"},
                   {"second_allocation", "and"},
                   {"elements", "elements"},
                   {"differing", "bits differ"},
                   {"unwritten", "left unwritten"},
                   {"error", "largest error", Align::right, 0, kMachines},
                   {"relative_error", "relative", Align::right, 0, kMachines},
                   {"error_text", "largest error", Align::right, 0, kPeople},
                   {"relative_error_text", "relative", Align::right, 0, kPeople},
                   {"at", "at"},
                   {"first_value", "first", Align::right, 0, kMachines},
                   {"second_value", "second", Align::right, 0, kMachines},
                   {"verdict", "verdict", Align::left}};
  std::vector<std::vector<Cell>> agreeing;
  const auto text = [](double x) { return fmt::format("{:.3g}", x); };
  for (const Pair& pair : judged.seen.pairs) {
    const std::vector<Cell> who = {judged.seen.first[0],
                                   judged.seen.second[0],
                                   std::string(name(judged.seen.type)),
                                   judged.tolerance,
                                   whole(pair.first),
                                   whole(pair.second),
                                   pair.again};
    for (const Difference& found : pair.buffers) {
      const bool differs = found.differing > 0;
      std::vector<Cell> row = who;
      for (const std::uint64_t value :
           {found.first.number, found.second.number, found.elements, found.differing, found.left})
        row.emplace_back(whole(value));
      const double error = found.error, part = relative(found);
      for (Cell cell : {Cell{error}, Cell{part}, Cell{text(error)}, Cell{text(part)}}) row.push_back(std::move(cell));
      for (Cell cell : {Cell{whole(found.at)}, Cell{found.first_value}, Cell{found.second_value}})
        row.push_back(differs ? std::move(cell) : Cell{});
      row.emplace_back(verdict(judged, found));
      (brief && judged.agree(found) ? agreeing : table.rows).push_back(std::move(row));
    }
    if (pair.buffers.empty()) {
      std::vector<Cell> row = who;
      row.resize(table.columns.size());
      row.back() = "not compared";
      table.rows.push_back(std::move(row));
    }
  }
  std::ranges::move(agreeing, std::back_inserter(table.rows));
  if (brief && table.rows.size() > kMostRows) table.rows.resize(kMostRows);
  return table;
}

std::vector<std::string> complaints(const Judged& judged) {
  std::vector<std::string> lines;
  const auto bad = [&](const Pair& pair) { return !judged.agree(pair); };
  const std::vector<Pair>& pairs = judged.seen.pairs;
  const auto first = std::ranges::find_if(pairs, bad);
  if (first == pairs.end()) return lines;
  lines.push_back(fmt::format("DIFFERENT {}: {}", launches_of(judged, *first), reason(judged, *first)));
  if (pairs.size() > 1)
    lines.push_back(fmt::format("{} of {} launches do not agree.", std::ranges::count_if(pairs, bad), pairs.size()));
  return lines;
}

std::vector<std::string> remarks(const Judged& judged) {
  std::vector<std::string> lines;
  const Comparison& seen = judged.seen;
  std::size_t rows = 0, again = 0;
  const Pair* unmatched = nullptr;
  for (const Pair& pair : seen.pairs) {
    rows += std::max<std::size_t>(1, pair.buffers.size()), again += pair.again ? 1 : 0;
    const bool more = !pair.only_first.empty() || !pair.only_second.empty();
    if (unmatched == nullptr && more && !pair.buffers.empty()) unmatched = &pair;
  }
  if (rows > kMostRows) lines.push_back(fmt::format("{} of {} rows are shown.", kMostRows, rows));
  if (unmatched != nullptr) {
    lines.push_back(fmt::format(
        "Not compared, since nothing is its like: of {}, what the first wrote to {} and the "
        "second to {}.",
        launches_of(judged, *unmatched), text_of(unmatched->only_first), text_of(unmatched->only_second)));
  }
  if (again > 0) {
    lines.push_back(
        fmt::format("{} of {} launches of {} found other data than {} had: what is compared is a second "
                    "run of each on that data.",
                    again, seen.pairs.size(), seen.second[0], seen.first[0]));
  }
  if (seen.early > 0)
    lines.push_back(fmt::format("{} launches of {} before the first of {} are not compared.", seen.early,
                                seen.second[0], seen.first[0]));
  return lines;
}

Table both_table(const emu::KernelTrace& first, const emu::KernelTrace& second) {
  Table table;
  table.columns = {{"counter", "a launch", Align::left},
                   {"first", first.name, Align::right, 2},
                   {"second", second.name == first.name ? "the second" : second.name, Align::right, 2},
                   {"ratio", "second / first", Align::right, 2}};
  const auto row = [&](std::string title, double a, double b) {
    if (a == 0 && b == 0) return;
    const auto cell = [](double x) { return x == std::floor(x) ? Cell{static_cast<std::int64_t>(x)} : Cell{x}; };
    table.rows.push_back({std::move(title), cell(a), cell(b), a == 0 ? Cell{} : Cell{b / a}});
  };
  table.rows.push_back({"launches", whole(first.launches), whole(second.launches), Cell{}});
  table.rows.push_back({"grid", trace::extents(first.grid), trace::extents(second.grid), Cell{}});
  table.rows.push_back({"block", trace::extents(first.block), trace::extents(second.block), Cell{}});
  for (const emu::CounterName& name : emu::counter_names()) {
    const auto each = [&](const emu::KernelTrace& kernel) {
      return static_cast<double>(kernel.counters.*name.value) /
             static_cast<double>(std::max<std::uint64_t>(1, kernel.launches));
    };
    row(trace::title_of(name.key), each(first), each(second));
  }
  for (const trace::Ratio& one : trace::ratios())
    row(one.title, one.of(first.counters).value_or(0), one.of(second.counters).value_or(0));
  return table;
}

}  // namespace cairn::lab::program
