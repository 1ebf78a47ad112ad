// cairn bench: times contenders against each other and the baselines.
#include "lab/measure/bench.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "lab/baseline_cublas.hpp"
#include "lab/baselines.hpp"
#include "lab/drawn.hpp"
#include "lab/exit.hpp"
#include "lab/invocation.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/measure/host.hpp"
#include "lab/no_gpu.hpp"
#include "lab/options.hpp"
#include "lab/progress.hpp"
#include "lab/record/drawn.hpp"
#include "lab/record/view.hpp"
#include "lab/signals.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> ids;
  ProblemOptions problem;
  Scalars scalars;
  std::string device = "auto";
  double seconds = 5;
  bool hot = false, host = false, sustained = false;
  std::string style;
  std::string record;
  std::string samples;  // "keep" or "summary"; empty: as the suite has it
  OutputOptions output;

  bool summary() const { return samples.empty() ? problem.drawn().has_value() : samples == "summary"; }
};

// An id of a GPU's, asked of the CPU.
void refuse_those_of_gpu(const std::vector<std::string>& ids, const Contenders& here) {
  const Contenders there = named_on_gpu(ids);
  for (const std::string& id : ids) {
    if (!names_any(id, here) && names_any(id, there))
      throw Error(has_gpu() ? kUsage : kLacking, times_need_gpu({id}));
  }
}

// Who is measured, baselines first, and whether these are there because their ids say so.
struct Field {
  Contenders contenders;
  bool named_baselines = false;
};

// The chosen contenders, and all baselines unless some were named. With no ids all but cpu/reference, which would
// take most of the time; on a drawn suite, which is about the library, that alone.
Field field(Options options) {
  if (options.ids.empty() && options.problem.drawn()) options.ids = {"cairn"};
  const Search search = options.problem.drawn() ? Search::brief : Search::full;
  const int device = one_device(options.device);
  if (device >= 0 && !has_gpu()) {
    check_ids_for_gpu(options.ids);
    throw Error(kLacking, times_need_gpu(options.ids));
  }
  Contenders all;
  expect(contenders(device, all, options.ids));
  if (options.ids.empty()) std::erase_if(all, [](const auto& c) { return c->id() == "cpu/reference"; });
  const auto machine = all.at(0)->machine();
  if (machine->facts().kind == runtime::Kind::emu) {
    throw Error(kUsage, "--device emu has no times to measure: " + times_need_gpu(options.ids));
  }
  const bool baselines = no_baseline(machine->facts().kind).empty();
  const auto is_baseline = [](const auto& contender) { return contender->is_baseline(); };
  if (baselines) add_baselines(machine, all, search);
  if (machine->facts().kind == runtime::Kind::cpu) refuse_those_of_gpu(options.ids, all);
  expect(select(options.ids, all));
  const bool named = !options.ids.empty() && std::ranges::any_of(all, is_baseline);
  if (baselines && std::ranges::none_of(all, is_baseline)) add_baselines(machine, all, search);
  if (options.host) std::erase_if(all, [](const auto& c) { return c->work() != Work::product; });
  // Baselines come first in the table.
  std::stable_partition(all.begin(), all.end(), is_baseline);
  return {std::move(all), named};
}

void check(const std::vector<Problem>& problems, const runtime::Facts& facts) {
  for (const Problem& p : problems) {
    if (measure::flops(p) == 0)
      throw Error(kUsage, fmt::format("--shape: {} has nothing to time; sizes must be 1 or more", p.brief()));
    check_memory(p, facts.memory_bytes, 2);
  }
}

// On a drawn suite one problem follows the other within a second, and the clocks have little to settle.
constexpr double kWarmUpOfMany = 0.05;

class Session {
 public:
  // `write` is for the record so far, if Ctrl-C finds this in a call that cannot be stopped.
  Session(const Options& options, const Field& field, std::function<void(const record::Record&)> write)
      : options_(options),
        machine_(field.contenders[0]->machine()),
        strongest_only_(options.problem.drawn() && !field.named_baselines),
        unfinished_([this, write = std::move(write)] { write(so_far()); }) {
    const auto lock = unfinished_.changing();
    for (const auto& contender : field.contenders) contenders_.push_back(contender.get());
    settings_.seed = options.problem.seed;
    settings_.scalars = options.scalars;
    settings_.cache = options.hot ? measure::Cache::hot : measure::Cache::cold;
    settings_.stop.seconds = options.seconds;
    if (options.problem.drawn()) settings_.warm_up_seconds = kWarmUpOfMany;
    if (options.sustained) settings_ = measure::sustained(settings_);
    settings_.progress = [this](const std::string& what, double fraction) {
      // A problem takes its contenders in groups, each of which goes from 0 to 1.
      const double of_step = (static_cast<double>(group_) + fraction) / static_cast<double>(groups_);
      progress_.show(what, (static_cast<double>(done_) + of_step) / static_cast<double>(steps_));
      return !interrupted();
    };
    record_.kind = options.host ? "host" : "bench";
    record_.command = invocation();
    record_.created = record::now();
    record_.seed = options.problem.seed;
    if (auto of_class = options.problem.drawn())
      record_.drawn = {std::move(*of_class), options.problem.count.value_or(kDrawnCount)};
    record_.build = record::this_build();
    record_.machine = machine_->facts();
    record_.method = {options.hot ? "hot" : "cold", options.seconds, static_cast<int>(settings_.stop.at_least),
                      settings_.stop.relative_error, options.sustained};
  }

  record::Record measure(const std::vector<Problem>& problems) {
    const bool with_ceilings = machine_->facts().kind == runtime::Kind::gpu && !options_.host;
    steps_ = problems.size() + (with_ceilings ? 1 : 0);
    if (with_ceilings) {
      record::Ceilings found = measure::ceilings(machine_, settings_, problems);
      const auto lock = unfinished_.changing();
      record_.ceilings = std::move(found);
      ++done_;
    }
    for (const Problem& problem : problems) {
      if (interrupted()) break;
      measure_problem(problem);
      ++done_;
    }
    return so_far();
  }

  // The record with its notes.
  record::Record so_far() const {
    record::Record record = record_;
    const auto kind = machine_->facts().kind;
    if (const std::string none = no_baseline(kind); !none.empty()) record.notes.push_back("no baseline: " + none);
    if (kind == runtime::Kind::gpu && no_baseline(kind).empty()) record.notes.push_back("cuBLAS " + cublas_version());
    if (interrupted()) record.notes.emplace_back("interrupted: the rows are what was measured");
    return record;
  }

 private:
  void measure_problem(const Problem& problem) {
    // Products are timed in the same rounds; a transpose, copy or probe has a problem of its own.
    std::vector<Contender*> products;
    std::ranges::copy_if(contenders_, std::back_inserter(products),
                         [](const Contender* c) { return c->work() == Work::product; });
    group_ = 0, groups_ = contenders_.size() - products.size() + (products.empty() ? 0 : 1);
    for (Contender* contender : contenders_) {
      if (contender->work() == Work::product || interrupted()) continue;
      add(measure::bench({contender}, contender->suited(problem), settings_));
      ++group_;
    }
    if (!products.empty() && !interrupted())
      add(options_.host ? measure::bench_host(products, problem, settings_)
                        : measure::bench(products, problem, settings_));
    group_ = 0, groups_ = 1;
  }

  // Rows that were not reached before an interrupt are left out.
  void add(std::vector<record::Row> rows) {
    if (strongest_only_) rows = record::with_strongest_baseline(std::move(rows));
    const auto lock = unfinished_.changing();
    for (record::Row& row : rows) {
      if (!row.refused.empty() || row.failed() || row.timed()) record_.rows.push_back(std::move(row));
    }
  }

  const Options& options_;
  std::shared_ptr<runtime::Machine> machine_;
  bool strongest_only_;  // of the baselines, in the record
  std::vector<Contender*> contenders_;
  measure::Settings settings_;
  record::Record record_;
  Progress progress_;
  std::size_t done_ = 0, steps_ = 1;
  std::size_t group_ = 0, groups_ = 1;
  Unfinished unfinished_;  // last, so that it is gone before what it writes
};

std::string kept_text(const record::Record& record, const Options& options) {
  return record::to_json(options.summary() ? record::without_samples(record) : record);
}

void write(const record::Record& record, const Options& options, const Output& output) {
  if (output.format() == Format::json) {
    output.write(kept_text(record, options));
  } else if (!options.style.empty()) {
    output.write(record::view_in_style(record, options.style, output.format(), output.terminal()));
  } else {
    output.write(record::view(record));
  }
}

int run(const Options& options) {
  const OutputOptions record_file = beside(options.output, "--record", options.record, "json");
  const Output output(options.output);
  const Output keep(record_file);
  expect_distinct({options.output, record_file});
  constexpr double kMostSeconds = 1e6;
  if (!(options.seconds > 0 && options.seconds <= kMostSeconds)) {
    throw Error(kUsage,
                fmt::format("--seconds {} must be above 0 and at most {:.0f}", options.seconds, kMostSeconds));
  }
  if (options.sustained && options.host)
    throw Error(kUsage, "--sustained keeps the device busy, and --host does not time the device; leave one out");
  record::check_style(options.style, output.format());
  const auto problems = options.problem.problems();
  check_scalars(options.scalars, problems);
  const Field all = field(options);
  check(problems, all.contenders.at(0)->machine()->facts());

  catch_interrupt();
  const auto write_all = [&](const record::Record& record) {
    if (!options.record.empty()) keep.write(kept_text(record, options));
    write(record, options, output);
  };
  record::Record record;
  {
    Session session(options, all, write_all);
    record = session.measure(problems);
  }  // and the progress line is gone
  write_all(record);

  const auto& rows = record.rows;
  if (std::ranges::any_of(rows, [](const record::Row& row) { return row.failed(); })) return kFailed;
  if (interrupted()) return kInterrupted;
  return std::ranges::any_of(rows, [](const record::Row& row) { return row.timed(); }) ? kGood : kLacking;
}

}  // namespace

Action bench_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  options->problem = {{"1024"}, {"nn"}, {"f32"}, {"row"}};
  verb.description(
      "Time contenders against each other and the baselines\n"
      "In interleaved rounds on cold caches, after checking each bit by bit at the timed size. Stops when\n"
      "the median is known to 0.5 % (settled) or the time is up. Spread is the middle half of the samples\n"
      "over their median; the ratio is the median of per-round ratios to the strongest baseline with its\n"
      "95 % interval, above 1 where the contender is faster; of several problems their geometric mean, median,\n"
      "5th percentile, the worst and the best stand at the end. With no ID: all but cpu/reference. The baselines\n"
      "are all there unless some of them are named.\n"
      "--suite drawn:CLASS measures shapes by lot, the same for a --seed on every machine. With no ID it measures\n"
      "cairn; its rows, and its record, are of the contenders named and the strongest baseline of each shape.\n"
      "--format json, and --record together with any other format, write a record: with every sample, or with\n"
      "--samples summary only the median, its interval and other statistics of each row.");
  verb.footer(
      examples({"cairn bench --shape 256 --seconds 1", "cairn bench cairn --shape 64:256:64 --seconds 0.5",
                "cairn bench --device cpu --shape 200x300x100 --layout nt --type bf16 --format csv",
                "cairn bench --shape 128 --seconds 0.5 --style S1", "cairn bench --host --shape 16 --seconds 1",
                "cairn bench cairn --shape 512 --seconds 1 --sustained",
                "cairn bench cairn --shape 256 --ld +8 --batch 4 --beta 1 --seconds 0.1",
                "cairn bench --shape 64 --seconds 0.1 --record swept.json --samples summary",
                "cairn bench --suite drawn:odd --seed 7 --count 8 --seconds 0.02"}));
  add_contender_ids(verb, options->ids);
  add_problem_flags(verb, options->problem);
  add_suite_flags(verb, options->problem);
  add_scalar_flags(verb, options->scalars);
  add_device_flag(verb, options->device);
  add_seed_flag(verb, options->problem);
  verb.add_option("--seconds", options->seconds, "The most time for one contender on one problem")
      ->capture_default_str();
  verb.add_flag("--hot", options->hot, "Hot caches: the same matrices over and over");
  verb.add_flag("--sustained", options->sustained,
                "Samples of 50 ms or more, each right after 100 ms of the same work");
  verb.add_flag("--host", options->host, "Time the host's part of a call instead of the device's");
  verb.add_option("--style", options->style, "S0, S1 or S2: tables as some public kernel collections print them");
  verb.add_option("--record", options->record, "Also write a record to this JSON file");
  verb.add_option("--samples", options->samples,
                  "In the record: keep all of them, or only their summary, as a drawn suite does if not told")
      ->check(CLI::IsMember({"keep", "summary"}));
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
