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
#include "lab/options.hpp"
#include "lab/progress.hpp"
#include "lab/signals.hpp"
#include "lab/trace/check.hpp"
#include "lab/verbs/verbs.hpp"
#include "lab/verify/effort.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  std::optional<double> alpha, beta;
  std::string device = "auto";
  std::optional<std::int64_t> fuzz;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> replay;
  bool healthy = false;
  bool check = false;
  OutputOptions output;
};

// The flags as they were given, for the command that draws a case again.
std::string flags(const Options& options) {
  const ProblemOptions& given = options.problem;
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    if (!values.empty()) words.push_back(fmt::format("{} {}", flag, fmt::join(values, ",")));
  };
  add("--shape", given.shape);
  add("--layout", given.layout);
  add("--type", given.type);
  add("--order", given.order);
  const auto add_one = [&](const char* flag, const auto& value) {
    if (value) words.push_back(fmt::format("{} {}", flag, *value));
  };
  const auto add_text = [&](const char* flag, const std::string& text) {
    if (!text.empty()) words.push_back(fmt::format("{} {}", flag, text));
  };
  add_text("--ld", given.ld), add_text("--lda", given.lda), add_text("--ldb", given.ldb);
  add_text("--ldc", given.ldc);
  add_one("--batch", given.batch), add_one("--alpha", options.alpha), add_one("--beta", options.beta);
  return fmt::format("{}", fmt::join(words, " "));
}

// Flags narrow what is drawn; what no flag names is drawn from everything.
verify::Space space(const Options& options) {
  const ProblemOptions& given = options.problem;
  verify::Space result;
  result.flags = flags(options);
  result.leading = given.leading();
  result.batch = given.batch, result.alpha = options.alpha, result.beta = options.beta;
  if (given.shape.empty() && result.leading.any_absolute())
    throw Error(kUsage, "a leading dimension needs a --shape; write +8 for 8 above the least of every shape drawn");
  if (given.shape.empty() && given.layout.empty() && given.type.empty() && given.order.empty()) return result;
  ProblemOptions all = given;
  result.fixed_shape = !given.shape.empty();
  if (all.shape.empty()) all.shape = {"1"};
  if (all.layout.empty()) all.layout = {"nn", "nt", "tn", "tt"};
  if (all.type.empty()) {
    all.type = {"f64",      "f32",          "tf32",          "split",       "f16",       "f16:f32",
                "bf16",     "bf16:f32",     "e4m3",          "e4m3:f16",    "e4m3:bf16", "e4m3:f32",
                "e4m3fast", "e4m3fast:f16", "e4m3fast:bf16", "e4m3fast:f32"};
  }
  if (all.order.empty()) all.order = {"row", "column"};
  result.like = all.problems();
  return result;
}

// With few contenders the table has one column for each and full sentences; with many, one row for each and short
// titles.
constexpr std::size_t kSideBySide = 4;

std::vector<Column> columns(bool upright) {
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
  if (upright) return all;
  for (Column& column : all) {
    column.title = column.key;
    std::replace(column.title.begin(), column.title.end(), '_', ' ');
  }
  return all;
}

std::vector<Cell> row(std::string_view id, const verify::Tally& t) {
  return {std::string(id), t.cases,   t.passed,  t.refused, t.failed,      t.exact,
          t.rounding,      t.special, t.edges,   t.padded,  t.offset,      t.nan_in_c,
          t.k_zero,        t.empty,   t.batched, t.aliased, t.worst_ratio, t.worst_rigorous};
}

// The rows of lab/verify/healthy.cpp that this run would write.
void add_healthy_rows(std::string_view id, const verify::Tally& tally, std::vector<std::string>& lines) {
  for (const auto& [types, ratios] : tally.ratios) {
    lines.push_back(fmt::format("    {{\"{}\", Type::{}, Type::{}, {{{:.2g}}}}},", id, name(types.first),
                                name(types.second), fmt::join(ratios, ", ")));
  }
}

// The tallies so far, and what they say.
class Verified {
 public:
  void add(const Contender& contender, const verify::Tally& tally, const std::vector<std::string>& caught,
           const Options& options, const verify::Space& drawn_from) {
    const std::string id(contender.id());
    judged_ += tally.passed + tally.failed;
    if (tally.passed + tally.failed == 0) unjudged_.push_back(id);
    failed_ += tally.failed + static_cast<std::int64_t>(caught.size());
    for (const std::string& line : caught) alarms_.push_back(fmt::format("CAUGHT {}: {}", id, line));
    rows_.push_back(row(id, tally));
    if (options.healthy) add_healthy_rows(id, tally, notes_);
    for (const verify::Failure& failure : tally.failures) {
      alarms_.push_back(fmt::format(
          "FAILED {}: {}\n  {}\n  seed {:#x}, again:\n  {}", id, failure.what, failure.test.describe(),
          failure.test.seed,
          verify::replay_command(id, failure.test, device_name(contender.machine()->facts()), drawn_from)));
    }
  }
  void note(std::string line) { notes_.push_back(std::move(line)); }

  Report report(const Contenders& chosen, std::int64_t cases, const Options& options) const {
    Report report;
    report.table.upright = chosen.size() <= kSideBySide;
    report.table.columns = columns(report.table.upright);
    report.table.spare = {"aliased", "batched", "empty",   "k_zero",   "nan_in_c", "offset",
                          "padded",  "edges",   "special", "rounding", "exact",    "worst_rigorous"};
    report.table.rows = rows_;
    report.alarms = alarms_;
    report.after = notes_;
    const std::string device = describe_machines(chosen);
    report.before = {options.replay ? fmt::format("Case {:#x} on {}", *options.replay, device)
                                    : fmt::format("{} cases of seed {} on {}", cases, options.seed, device)};
    if (judged_ == 0 && !interrupted())
      report.alarms.emplace_back(
          "Nothing was run: every case was refused. That proves nothing, so it counts as a failure.");
    if (judged_ > 0 && !unjudged_.empty())
      report.after.push_back(fmt::format("Not judged, every case was refused: {}.", fmt::join(unjudged_, ", ")));
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
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> alarms_, notes_, unjudged_;
  std::int64_t judged_ = 0, failed_ = 0;
};

// The detectors are slow enough that who asks for all of them should know before, and know how to ask for less.
void say_how_long(const verify::Space& space, std::size_t rungs, std::int64_t cases, bool chosen) {
  constexpr double kWorthSaying = 10;
  const double seconds = verify::seconds_to_check(space, rungs, cases);
  if (seconds < kWorthSaying) return;
  fmt::print(stderr, "Checking {} rung{}, {} cases each: about {} on two cores; {}.\n", rungs, rungs == 1 ? "" : "s",
             cases, duration(seconds),
             chosen ? "fewer by --fuzz, or name the rungs" : "--fuzz N draws more cases, or fewer");
}

int run(const Options& options) {
  const Output output(options.output);
  if (options.check && options.device != "emu" && options.device != "auto")
    throw Error(kUsage, fmt::format("--check runs rungs on the emulator; use --device emu, not {}", options.device));
  Contenders chosen =
      options.check ? trace::traced_contenders(options.ids) : open_contenders(options.device, options.ids);
  if (options.ids.empty()) std::erase_if(chosen, [](const auto& c) { return c->work() == Work::probe; });
  const verify::Space drawn_from = space(options);
  const std::int64_t cases = options.fuzz.value_or(
      options.check ? verify::enough_checked_cases(drawn_from, chosen.size()) : verify::enough_cases(drawn_from));
  for (const auto& contender : chosen) {
    for (const Problem& p : drawn_from.like) check_memory(p, contender->machine()->facts().memory_bytes);
  }

  if (options.check && !options.replay) say_how_long(drawn_from, chosen.size(), cases, options.fuzz.has_value());

  Verified verified;
  const Contender* current = nullptr;  // and its tally so far
  verify::Tally current_tally;
  {
    catch_interrupt();
    const Unfinished unfinished([&] {
      if (current != nullptr) verified.add(*current, current_tally, {}, options, drawn_from);
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
      if (options.check) trace::begin_check(options.seed);
      if (options.replay) {
        const verify::Case test =
            verify::case_for(*contender, *options.replay, verify::taken_by(*contender, drawn_from));
        tally.add(test, verify::check(*contender, test));
        const auto lock = unfinished.changing();
        verified.note(fmt::format("{}: {}", contender->id(), test.describe()));
      } else {
        tally = verify::fuzz(*contender, drawn_from, cases, options.seed, keep_going);
      }
      const auto caught = options.check ? trace::end_check() : std::vector<std::string>{};
      const auto lock = unfinished.changing();
      current = nullptr;
      verified.add(*contender, tally, caught, options, drawn_from);
      ++done;
    }
  }  // and the progress line is gone
  output.write(verified.report(chosen, cases, options));
  return verified.code();
}

}  // namespace

Action verify_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Try to prove contenders wrong on drawn cases\n"
      "Draws problems from a seed (sizes, layouts, types, leading dimensions, alpha, beta, data), runs them\n"
      "in guarded memory and judges every element of C. Flags narrow what is drawn. A failing case prints\n"
      "the command that runs it again.");
  verb.footer(
      examples({"cairn verify --fuzz 5", "cairn verify cpu/reference --type bf16,e4m3:bf16 --fuzz 100 --seed 7",
                "cairn verify cairn --shape 33x65x129 --layout tt --fuzz 20",
                "cairn verify cpu/reference --ld +1 --batch 3 --beta 0.3 --fuzz 20",
                "cairn verify simt/04 --device emu --check --fuzz 5"}));
  add_contender_ids(verb, options->ids);
  verb.add_option(
          "--fuzz", options->fuzz,
          "How many cases to draw for each contender; 1000, or fewer where --shape is large or --check is slow")
      ->transform(whole_number(1, 1'000'000'000));
  add_seed_flag(verb, options->seed);
  verb.add_option("--replay", options->replay, "Run the one case of this seed, as a failure printed it")
      ->transform(whole_number(0, kMostSeed));
  verb.add_flag("--healthy", options->healthy, "Also print each contender's worst ratios, as lab/verify keeps them");
  verb.add_flag("--check", options->check,
                "Run the rungs on the emulator that watches every access: races, bounds, unset memory, barriers");
  add_problem_flags(verb, options->problem);
  add_scalar_flags(verb, options->alpha, options->beta);
  add_device_flag(verb, options->device);
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
