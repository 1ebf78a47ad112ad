// cairn verify: tries to prove contenders wrong.
#include "lab/verify/verify.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/numbers.hpp"
#include "lab/progress.hpp"
#include "lab/signals.hpp"
#include "lab/trace/check.hpp"
#include "lab/verbs/verbs.hpp"
#include "lab/verify/effort.hpp"
#include "lab/verify_options.hpp"

namespace cairn::lab {
namespace {

// With few contenders the table has one column for each and full sentences; with many, one row for each and short
// titles.
constexpr std::size_t kSideBySide = 4;

std::vector<Column> columns(bool upright, bool suite) {
  std::vector<Column> all = {{"id", "contender", Align::left},
                             {"cases", "cases"},
                             {"passed", "passed"},
                             {"refused", "refused: not a problem it takes"},
                             {"failed", "failed"},
                             {"exact", "exact data, compared bit by bit"},
                             {"rounding", "real data, each element within its bound"},
                             {"special", "NaN, infinities, denormals among the data"},
                             {"edges", "a size that is no multiple of 32"},
                             {"padded", "a leading dimension above its minimum"},
                             {"offset", "a pointer off the 16-byte grid"},
                             {"nan_in_c", "beta = 0 over a C full of NaN"},
                             {"k_zero", "k = 0"},
                             {"empty", "C without elements"},
                             {"batched", "batched"},
                             {"aliased", "A and B the same memory"},
                             {"worst_ratio", "worst error / bound", Align::right, 4},
                             {"worst_rigorous", "worst error / rigorous bound", Align::right, 6}};
  if (suite) all.push_back({"skipped", "skipped: more work than is done here"});
  if (upright) return all;
  for (Column& column : all) {
    column.title = column.key;
    std::replace(column.title.begin(), column.title.end(), '_', ' ');
  }
  return all;
}

std::vector<Cell> row(std::string_view id, const verify::Tally& t, bool suite) {
  std::vector<Cell> cells = {std::string(id), t.cases,   t.passed,  t.refused, t.failed,      t.exact,
                             t.rounding,      t.special, t.edges,   t.padded,  t.offset,      t.nan_in_c,
                             t.k_zero,        t.empty,   t.batched, t.aliased, t.worst_ratio, t.worst_rigorous};
  if (suite) cells.emplace_back(t.skipped);
  return cells;
}

// A suite's shapes that a contender is given: those that do not take too long where it runs. Flags that name one shape
// are taken at their word.
struct Given {
  std::vector<verify::Space> spaces;
  const verify::Space* largest_skipped = nullptr;
};

Given given_to(const verify::Place& place, const std::vector<verify::Space>& all, bool suite) {
  Given given;
  for (const verify::Space& space : all) {
    const double work = verify::largest(space);
    if (!suite || work <= verify::most_multiply_adds(place)) {
      given.spaces.push_back(space);
    } else if (given.largest_skipped == nullptr || work > verify::largest(*given.largest_skipped)) {
      given.largest_skipped = &space;
    }
  }
  return given;
}

verify::Place place_of(const Contender& contender, const VerifyOptions& options) {
  return {contender.machine()->facts().kind, options.check};
}

// The rows of lab/verify/healthy.cpp that this run would write.
void add_healthy_rows(std::string_view id, const verify::Tally& tally, std::vector<std::string>& lines) {
  for (const auto& [kind, ratios] : tally.ratios) {
    lines.push_back(fmt::format("    {{\"{}\", {{Type::{}, Type::{}{}}}, {{{:.2g}}}}},", id, name(kind.in),
                                name(kind.out), kind.compute == Compute::split ? ", Compute::split" : "",
                                fmt::join(ratios, ", ")));
  }
}

// The tallies so far, and what they say.
class Verified {
 public:
  void add(const Contender& contender, const verify::Tally& tally, const std::vector<std::string>& caught,
           const VerifyOptions& options) {
    const std::string id(contender.id());
    judged_ += tally.passed + tally.failed;
    if (tally.passed + tally.failed == 0) unjudged_.push_back(id);
    failed_ += tally.failed + static_cast<std::int64_t>(caught.size());
    for (const std::string& line : caught) alarms_.push_back(fmt::format("CAUGHT {}: {}", id, line));
    rows_.push_back(row(id, tally, options.is_suite()));
    if (options.healthy) add_healthy_rows(id, tally, notes_);
    for (const auto& [how, cases] : tally.took) notes_.push_back(fmt::format("{}: {} cases by {}", id, cases, how));
    for (const verify::Failure& failure : tally.failures) {
      alarms_.push_back(fmt::format(
          "FAILED {}: {}\n  {}\n  seed {:#x}, again:\n  {}", id, failure.what, failure.test.describe(),
          failure.test.seed,
          verify::replay_command(id, failure.test, device_name(contender.machine()->facts()), failure.flags)));
    }
  }
  void note(std::string line) {
    if (std::ranges::find(notes_, line) == notes_.end()) notes_.push_back(std::move(line));
  }

  Report report(const Contenders& chosen, std::int64_t cases, const VerifyOptions& options) const {
    Report report;
    report.table.upright = chosen.size() <= kSideBySide;
    report.table.columns = columns(report.table.upright, options.is_suite());
    report.table.spare = {"aliased", "batched", "empty",   "k_zero",   "nan_in_c", "offset",
                          "padded",  "edges",   "special", "rounding", "exact",    "worst_rigorous"};
    report.table.rows = rows_;
    report.alarms = alarms_;
    report.after = notes_;
    const std::string device = describe_machines(chosen);
    const std::string what = options.is_suite() ? " of suite " + options.problem.suite : "";
    report.before = {options.replay
                         ? fmt::format("Case {:#x} on {}", *options.replay, device)
                         : fmt::format("{} cases{} of seed {} on {}", cases, what, options.problem.seed, device)};
    if (judged_ == 0 && !interrupted())
      report.alarms.push_back(
          fmt::format("Nothing was run: every case was {}. That proves nothing, so it counts as a failure.",
                      refused_or(options)));
    if (judged_ > 0 && !unjudged_.empty())
      report.after.push_back(
          fmt::format("Not judged, every case was {}: {}.", refused_or(options), fmt::join(unjudged_, ", ")));
    if (interrupted()) report.after.emplace_back("Interrupted: the counts are of what was done.");
    if (judged_ > 0 && failed_ == 0)
      report.after.emplace_back(options.check ? "Every result was right, and no detector found anything."
                                              : "Every result was right.");
    return report;
  }

  int code() const {
    if (failed_ > 0) return kFailed;
    if (interrupted()) return kInterrupted;
    return judged_ == 0 ? kFailed : kGood;
  }

 private:
  static const char* refused_or(const VerifyOptions& options) {
    return options.is_suite() ? "refused or skipped" : "refused";
  }

  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> alarms_, notes_, unjudged_;
  std::int64_t judged_ = 0, failed_ = 0;
};

constexpr double kWorthSaying = 10;  // seconds

// The detectors are slow enough that who asks for all of them should know before, and know how to ask for less.
void say_how_long(const verify::Space& space, std::size_t rungs, std::int64_t cases, bool chosen) {
  const double seconds = verify::seconds_to_check(space, rungs, cases);
  if (seconds < kWorthSaying) return;
  fmt::print(stderr, "Checking {} rung{}, {} cases each: about {} on two cores; {}.\n", rungs, rungs == 1 ? "" : "s",
             cases, duration(seconds),
             chosen ? "fewer by --fuzz, or name the rungs" : "--fuzz N draws more cases, or fewer");
}

// The same of a suite, whose large shapes take long on the emulator and by cpu/reference.
void say_how_long(const std::vector<verify::Space>& all, const Contenders& chosen, std::int64_t each,
                  const VerifyOptions& options) {
  double seconds = 0;
  for (const auto& contender : chosen) {
    const verify::Place place = place_of(*contender, options);
    for (const verify::Space& space : given_to(place, all, true).spaces)
      seconds += static_cast<double>(each) * verify::seconds_of_case(space, place);
  }
  if (seconds < kWorthSaying) return;
  fmt::print(stderr, "Verifying {} contender{} on {} shapes: up to about {} on two cores; fewer if some are named.\n",
             chosen.size(), chosen.size() == 1 ? "" : "s", all.size(), duration(seconds));
}

std::string skipped_text(const Given& given, const verify::Place& place, std::size_t all) {
  const bool emulated = place.kind == runtime::Kind::emu;
  const Problem& largest = given.largest_skipped->like.front();
  return fmt::format(
      "Skipped {}: {} of {} shapes have more than {:.1e} multiply-adds, which take half a minute there; "
      "{}x{}x{} has {:.1e}.",
      place.traced ? "under the detectors"
      : emulated   ? "on the emulated GPU"
                   : "on the CPU",
      all - given.spaces.size(), all, verify::most_multiply_adds(place), largest.m, largest.n, largest.k,
      verify::largest(*given.largest_skipped));
}

std::int64_t cases_of_each(const VerifyOptions& options, const verify::Space& first, std::size_t contenders) {
  if (options.fuzz) return *options.fuzz;
  if (options.is_suite()) return 1;
  return options.check ? verify::enough_checked_cases(first, contenders) : verify::enough_cases(first);
}

int run(const VerifyOptions& options) {
  const Output output(options.output);
  if (options.check && options.device != "emu" && options.device != "auto")
    throw Error(kUsage, fmt::format("--check runs rungs on the emulator; use --device emu, not {}", options.device));
  if (options.replay && options.is_suite())
    throw Error(kUsage, "--replay runs one case, with the flags that its failure printed; leave out --suite");
  const std::vector<verify::Space> all = spaces(options);
  Contenders chosen =
      options.check ? trace::traced_contenders(options.ids) : open_contenders(options.device, options.ids);
  if (options.ids.empty()) std::erase_if(chosen, [](const auto& c) { return c->work() == Work::probe; });
  const std::int64_t each = cases_of_each(options, all[0], chosen.size());
  const std::int64_t cases = each * std::ssize(all);
  for (const auto& contender : chosen) {
    for (const verify::Space& space : given_to(place_of(*contender, options), all, options.is_suite()).spaces)
      for (const Problem& p : space.like) check_memory(p, contender->machine()->facts().memory_bytes);
  }

  if (options.is_suite()) {
    say_how_long(all, chosen, each, options);
  } else if (options.check && !options.replay) {
    say_how_long(all[0], chosen.size(), cases, options.fuzz.has_value());
  }

  Verified verified;
  const Contender* current = nullptr;  // and its tally so far
  verify::Tally current_tally;
  {
    catch_interrupt();
    const Unfinished unfinished([&] {
      if (current != nullptr) verified.add(*current, current_tally, {}, options);
      output.write(verified.report(chosen, cases, options));
    });
    Progress progress;
    double done = 0;  // contenders
    for (const auto& contender : chosen) {
      if (interrupted()) break;
      const auto keep_going = [&](const verify::Tally& t) {
        const double of_this = static_cast<double>(t.cases) / static_cast<double>(cases);
        progress.show(fmt::format("verifying {} {}/{}", contender->id(), t.cases, cases),
                      (done + of_this) / static_cast<double>(chosen.size()));
        const auto lock = unfinished.changing();
        current = contender.get(), current_tally = t;
        return !interrupted();
      };
      verify::Tally tally;
      if (options.check) trace::begin_check(options.problem.seed);
      if (options.replay) {
        const verify::Case test = verify::case_for(*contender, *options.replay, verify::taken_by(*contender, all[0]));
        tally.add(test, verify::check(*contender, test), all[0].flags);
        const auto lock = unfinished.changing();
        verified.note(fmt::format("{}: {}", contender->id(), test.describe()));
      } else {
        const verify::Place place = place_of(*contender, options);
        const Given given = given_to(place, all, options.is_suite());
        tally = verify::fuzz_each(*contender, given.spaces, each, options.problem.seed, keep_going);
        tally.skipped = each * std::ssize(all) - each * std::ssize(given.spaces);
        const auto lock = unfinished.changing();
        if (given.largest_skipped != nullptr) verified.note(skipped_text(given, place, all.size()));
      }
      const auto caught = options.check ? trace::end_check() : std::vector<std::string>{};
      const auto lock = unfinished.changing();
      current = nullptr;
      verified.add(*contender, tally, caught, options);
      ++done;
    }
  }  // and the progress line is gone
  output.write(verified.report(chosen, cases, options));
  return verified.code();
}

}  // namespace

Action verify_verb(CLI::App& verb) {
  auto options = std::make_shared<VerifyOptions>();
  verb.description(
      "Try to prove contenders wrong on drawn cases\n"
      "Draws problems from a seed (sizes, layouts, types, leading dimensions, alpha, beta, data), runs them\n"
      "in guarded memory and judges every element of C. Flags narrow what is drawn. A failing case prints\n"
      "the command that runs it again. With --suite a case of every shape is run; on a machine without a GPU\n"
      "those that would take longer than half a minute are skipped, and counted.");
  verb.footer(
      examples({"cairn verify --fuzz 5", "cairn verify cpu/reference --type bf16,e4m3:bf16 --fuzz 100 --seed 7",
                "cairn verify cairn --shape 33x65x129 --layout tt --fuzz 20",
                "cairn verify cpu/reference --ld +1 --batch 3 --beta 0.3 --fuzz 20",
                "cairn verify simt/04 --device emu --check --fuzz 5",
                "cairn verify cairn --suite drawn:odd --seed 7 --count 10 --device emu"}));
  add_contender_ids(verb, options->ids);
  verb.add_option(
          "--fuzz", options->fuzz,
          "How many cases to draw for each contender; 1000, or fewer where --shape is large or --check is slow; "
          "with --suite, for each shape: 1")
      ->transform(whole_number(1, 1'000'000'000));
  add_seed_flag(verb, options->problem);
  verb.add_option("--replay", options->replay, "Run the one case of this seed, as a failure printed it")
      ->transform(whole_number(0, kMostSeed));
  verb.add_flag("--healthy", options->healthy, "Also print each contender's worst ratios, as lab/verify keeps them");
  verb.add_flag("--check", options->check,
                "Run the rungs on the emulator that watches every access: races, bounds, unset memory, barriers");
  add_problem_flags(verb, options->problem);
  add_suite_flags(verb, options->problem);
  add_scalar_flags(verb, options->alpha, options->beta);
  add_device_flag(verb, options->device);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
