#include "lab/record/trail_pages.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lab/diff/rung_source.hpp"
#include "lab/escape.hpp"
#include "lab/record/table_parts.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;

constexpr double kLevel = 0.01;  // speeds closer than this are not told apart
static_assert(kLevel >= 2 * kLeastError);

struct Summarized {
  const Named* named;
  std::vector<Line> lines;
};

// A line with its record.
struct Shown {
  const Summarized* in;
  const Line* line;
  Problem problem() const { return problem_of(*line->row); }
};

std::vector<Summarized> summarized(const std::vector<Named>& records) {
  std::vector<Summarized> all;
  all.reserve(records.size());
  for (const Named& named : records) all.push_back({&named, summarize(named.record)});
  return all;
}

// "simt/14"
std::string_view short_id(std::string_view id) { return id.substr(0, id.find('_')); }
std::string_view trail_of(std::string_view id) { return id.substr(0, id.find('/')); }

double speed(const Line& line, const Line& other) { return other.median_ms / line.median_ms; }

std::optional<Shown> on(const Problem& problem, std::string_view id, const Summarized& in) {
  for (const Line& line : in.lines)
    if (line.row->id == id && problem_of(*line.row) == problem) return Shown{&in, &line};
  return {};
}

std::optional<Shown> published(std::string_view id, const std::vector<Summarized>& all) {
  for (const Problem& problem : published_problems())
    for (const Summarized& in : all)
      if (const auto found = on(problem, id, in)) return found;
  return {};
}

// The nearest rung before this one in its trail that was timed on the same problem in the same record.
std::optional<Shown> before(const Shown& shown) {
  std::optional<Shown> nearest;
  for (const Rung* rung : cards()) {
    if (rung->id == shown.line->row->id) break;
    if (trail_of(rung->id) != trail_of(shown.line->row->id)) continue;
    if (const auto found = on(shown.problem(), rung->id, *shown.in)) nearest = found;
  }
  return nearest;
}

// On the same problem in the same record, or on the same matrices in any: tensor/32 multiplies in TF32 what its
// parent, simt/21, multiplies in f32.
std::optional<Shown> of_parent(const std::string& parent, const Shown& shown, const std::vector<Summarized>& all) {
  if (const auto found = on(shown.problem(), parent, *shown.in)) return found;
  for (const Compute compute : {Compute::tf32, Compute::native}) {
    Problem problem = shown.problem();
    problem.compute = compute;
    if (const auto found = on(problem, parent, *shown.in)) return found;
    for (const Summarized& in : all)
      if (const auto found = on(problem, parent, in)) return found;
  }
  return {};
}

std::string parent_in(const fs::path& folder, const Rung& rung) {
  const diff::OwnNames names{std::string(rung.id), std::string(rung.title)};
  return diff::read_rung(names, {(folder / "../..").lexically_normal().string()}).parent;
}

// "bf16 nt"
std::string type_and_layout(const Problem& problem) {
  const std::string brief = problem.brief();
  return brief.substr(0, brief.rfind(' '));
}

std::vector<Cell> cells(const Shown& shown, std::string rung, const Cell& against) {
  const Line& line = *shown.line;
  const bool move = line.row->work == "move";
  return {std::move(rung),
          type_and_layout(shown.problem()),
          line.median_ms,
          move ? *line.gbytes : *line.tflops,
          move ? percent(line.of_ceiling) : of_baseline(line),
          against};
}

std::string low_to_high(const std::vector<double>& values, int decimals) {
  const auto [low, high] = std::ranges::minmax(values);
  const std::string first = fmt::format("{:.{}f}", low, decimals), last = fmt::format("{:.{}f}", high, decimals);
  return first == last ? first : first + " to " + last;
}

// The same comparison on the record's other problems, in a sentence.
std::string other_problems(const Shown& shown, const Shown& other) {
  std::vector<double> speeds, percents;
  for (const Line& line : shown.in->lines) {
    if (line.row->id != shown.line->row->id || &line == shown.line) continue;
    const auto same = on(problem_of(*line.row), other.line->row->id, *shown.in);
    if (!same || !line.ratio) continue;
    speeds.push_back(speed(line, *same->line));
    percents.push_back(100 * line.ratio->median);
  }
  if (speeds.empty()) return "";
  return fmt::format(
      "\nOn the record's {} it is {} times as fast as {} and reaches {} % of the strongest baseline.\n",
      speeds.size() == 1 ? "other problem" : fmt::format("{} other problems", speeds.size()), low_to_high(speeds, 3),
      short_id(other.line->row->id), low_to_high(percents, 1));
}

std::string brought_by_rung(const Rung& rung, const std::vector<Summarized>& all, const fs::path& folder) {
  const auto shown = published(rung.id, all);
  if (!shown) return "";
  const bool move = shown->line->row->work == "move";
  Table table;
  table.columns = {{"rung", "rung", Align::left},
                   {"type", "type", Align::left},
                   {"median_ms", "ms", Align::right, move ? 4 : 3},
                   {"speed", move ? "GB/s" : "TFLOP/s", Align::right,
                    move                         ? 0
                    : *shown->line->tflops < 100 ? 2
                                                 : 1},
                   {"percent", move ? "% of the copy" : "% of the strongest baseline", Align::right, 1},
                   {"against", fmt::format("speed of {} against it", short_id(rung.id)), Align::left}};
  table.columns[0].markdown = true;
  const auto add = [&](const Shown& other, std::string_view what) {
    std::string name = fmt::format("{}, {}", linked(other.line->row->id, folder), what);
    if (other.in != shown->in) name += ", in " + record_link(*other.in->named);
    const double ratio = speed(*shown->line, *other.line);
    const bool same = other.problem() == shown->problem();
    const std::string_view words = same ? verdict(ratio) : "in another arithmetic";
    table.rows.push_back(cells(other, name, fmt::format("{:.3f}, {}", ratio, words)));
  };
  const std::string parent = parent_in(folder, rung);
  const auto from = parent == "-" || parent.empty() ? std::nullopt : of_parent(parent, *shown, all);
  if (from) add(*from, "its parent");
  const auto previous = before(*shown);
  if (previous && previous->line->row->id != parent) add(*previous, "the rung before it");
  table.rows.push_back(cells(*shown, fmt::format("**{}**", rung.id), {}));
  if (table.rows.size() == 1) {
    table.columns.pop_back();
    table.rows.front().pop_back();
  }
  const auto& first = from && from->problem() == shown->problem() ? from : previous;
  return title(*shown->in->named, fmt::format("{0}x{0}x{0}", kPublishedSize)) + "\n\n" + render(table, Format::md) +
         (first ? other_problems(*shown, *first) : "");
}

// "63.5 TFLOP/s of f32"
std::vector<std::string> ceilings_of(const Rung& probe, const Ceilings& ceilings) {
  std::vector<std::string> found;
  if (probe.kind == RungKind::copy && ceilings.copy_gbytes > 0) {
    found.push_back(fmt::format("{:.0f} GB/s", ceilings.copy_gbytes));
  }
  if (probe.id == "probe/fma_peak" && ceilings.fma_tflops > 0) {
    found.push_back(fmt::format("{:.1f} TFLOP/s of f32", ceilings.fma_tflops));
  }
  for (const TensorInstruction& one : kTensorInstructions) {
    if (probe.id != one.probe) continue;
    for (const auto& [type, tflops] : ceilings.*one.tflops)
      found.push_back(fmt::format("{:.1f} TFLOP/s of {}", tflops, type));
  }
  return found;
}

std::string brought_by_probe(const Rung& probe, const std::vector<Named>& records) {
  Table table;
  table.columns = {{"record", "record", Align::left}, {"ceiling", "ceiling", Align::left}};
  table.columns[0].markdown = true;
  for (const Named& named : records) {
    const auto found = ceilings_of(probe, named.record.ceilings);
    if (!found.empty())
      table.rows.push_back(
          {fmt::format("{}, {}", as_markdown(one_line(named.record.machine.name)), record_link(named)),
           fmt::format("{}", fmt::join(found, ", "))});
  }
  return table.rows.empty() ? "" : render(table, Format::md);
}

}  // namespace

std::string page_name(std::string_view id) {
  std::string name(id);
  std::ranges::replace(name, '/', '_');
  return name;
}

std::string_view verdict(double speed) {
  // Of what is shown, three decimals, so that 1.010 is level wherever it stands.
  const double shown = std::round(1000 * speed) / 1000;
  if (std::abs(shown - 1) < kLevel + 1e-6) return "level";
  return shown > 1 ? "faster" : "a step back";
}

std::string brought(const Rung& rung, const std::vector<Named>& records, const fs::path& folder) {
  const bool probe = rung.kind == RungKind::probe || rung.kind == RungKind::copy;
  const auto text = probe ? brought_by_probe(rung, records) : brought_by_rung(rung, summarized(records), folder);
  return text.empty() ? fmt::format("No record has {} yet.\n", rung.id) : text;
}

std::string steps(const std::vector<Named>& records, const fs::path& folder) {
  const auto all = summarized(records);
  std::map<std::string_view, std::vector<std::string>> by_verdict;
  for (const Rung* rung : cards()) {
    const auto shown = published(rung->id, all);
    const auto previous = shown && trail_of(rung->id) != "probe" ? before(*shown) : std::nullopt;
    if (!previous) continue;
    const double ratio = speed(*shown->line, *previous->line);
    by_verdict[verdict(ratio)].push_back(fmt::format("{} {:.3f}", linked(rung->id, folder), ratio));
  }
  if (by_verdict.empty()) return "";
  std::vector<std::string> links;
  links.reserve(records.size());
  for (const Named& named : records) links.push_back(record_link(named));
  std::string text =
      fmt::format("The speed of each rung against the one before it, **{0}**, {1}x{1}x{1} · {2}.\n\n",
                  as_markdown(one_line(records.front().record.machine.name)), kPublishedSize, fmt::join(links, ", "));
  for (const auto& [words, title] : {std::pair{"a step back", "A step back"}, {"level", "Level, within 1 %"}})
    if (by_verdict.contains(words)) text += fmt::format("- {}: {}.\n", title, fmt::join(by_verdict[words], ", "));
  return text + fmt::format("- Faster: the other {}.\n", by_verdict["faster"].size());
}

}  // namespace cairn::lab::record
