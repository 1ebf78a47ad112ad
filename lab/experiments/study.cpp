#include "lab/experiments/study.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lab/baselines.hpp"
#include "lab/exit.hpp"
#include "lab/measure/bench.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/profile/profile.hpp"
#include "lab/profile/sass.hpp"

namespace cairn::lab {
namespace {

constexpr std::string_view kCublas = "cublas/gemm_ex";
constexpr std::int64_t kWhole = 128;  // every tile of the experiments' kernels divides it

Contenders chosen_rungs(const Question& question, int device) {
  Contenders all;
  expect(contenders(device, all, question.rungs));
  std::vector<std::string> patterns = question.rungs;
  const auto machine = all.at(0)->machine();
  add_baselines(machine, all);
  if (std::ranges::any_of(all, [](const auto& c) { return c->id() == kCublas; })) patterns.emplace_back(kCublas);
  expect(select(patterns, all));
  return all;
}

}  // namespace

std::string study_name(std::string_view id) {
  if (is_lab_kernel(id) || id.starts_with("cublas/")) return std::string(id);
  const std::size_t at = id.find('@');
  return short_id(id) + std::string(at == std::string_view::npos ? "" : id.substr(at));
}

std::vector<Shown> kernel_columns() {
  return {{"registers", "registers"},      {"local_bytes", "local B"},
          {"shared_bytes", "shared B"},    {"threads", "threads"},
          {"blocks_an_sm", "blocks/SM"},   {"loop_instructions", "loop"},
          {"loop_loops", "loops in it"},   {"loop_ffma", "FFMA"},
          {"loop_lds_4", "LDS 4"},         {"loop_lds_8", "LDS 8"},
          {"loop_lds_16", "LDS 16"},       {"loop_ldg_4", "LDG 4"},
          {"loop_ldg_16", "LDG 16"},       {"loop_ldgsts_4", "LDGSTS 4"},
          {"loop_ldgsts_16", "LDGSTS 16"}, {"loop_integer", "IMAD IADD LEA"},
          {"loop_local", "LDL STL"},       {"loop_barriers", "BAR"},
          {"loop_predicated", "guarded"},  {"loop_never", "guarded off"}};
}

Timed Studied::timed() const { return {name, row.timed() ? row.samples_ms : std::vector<double>{}}; }

Study::Study(const Question& question, const Conditions& conditions) : question_(question) {
  if (conditions.shape) question_.shapes = {*conditions.shape};
  rungs_ = chosen_rungs(question_, conditions.device);
  const runtime::Facts& facts = rungs_.at(0)->machine()->facts();
  machine_ = fmt::format("{}, {}", facts.name, facts.software);
  const bool gpu = facts.kind == runtime::Kind::gpu;
  if (gpu) own_ = lab_kernels(conditions.device, question_.card);
  for (std::size_t i = 0; i < question_.shapes.size(); ++i) {
    const auto& [m, n, k] = question_.shapes[i];
    if (gpu && i == 0 && (m % kWhole != 0 || n % kWhole != 0 || k % kWhole != 0)) {
      throw Error(kUsage, fmt::format("--shape {}x{}x{}: the experiment's own kernels have no edges; sizes must be "
                                      "multiples of {}",
                                      m, n, k, kWhole));
    }
    const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, m, n, k);
    for (const auto& one : rungs_) add(*one, problem);
    if (i > 0) continue;
    for (const auto& one : own_) add(*one, problem);
  }
  if (all_.empty()) throw Error(kLacking, "no contender on this device takes this problem");
}

Study::Study(const record::LabRecord& record) : machine_(record.machine) {
  static constexpr std::string_view kDerived[] = {"median_ms", "tflops", "percent_of_cublas"};
  for (const record::LabRow& row : record.rows) {
    Studied one{.name = row.text("id"), .tile = row.text("tile"), .problem = row.problem("problem")};
    one.row.samples_ms = row.times("samples_ms");
    one.row.verified = "exact";
    for (const auto& [key, cell] : row.cells()) {
      const auto value = row.number_if(key);
      if (value && std::ranges::find(kDerived, key) == std::end(kDerived)) one.facts[key] = *value;
    }
    all_.push_back(std::move(one));
  }
}

void Study::add(Contender& contender, const Problem& problem) {
  if (!contender.refuses(problem).empty()) return;
  all_.push_back(
      {.name = study_name(contender.id()), .tile = contender.tile(), .contender = &contender, .problem = problem});
}

void Study::run(const Conditions& conditions) {
  time_all(conditions);
  look_at_kernels();
  read_code(conditions);
  count(conditions);
}

void Study::time_all(const Conditions& conditions) {
  double from = 0;
  for (std::size_t first = 0; first < all_.size();) {
    std::size_t end = first;
    std::vector<Contender*> group;
    while (end < all_.size() && all_[end].problem == all_[first].problem) group.push_back(all_[end++].contender);
    const double share = 0.7 * static_cast<double>(group.size()) / static_cast<double>(all_.size());
    measure::Settings settings;
    settings.seed = conditions.seed;
    // An emulated GPU has no cache to flush, so one set of matrices is enough.
    const bool caches = all_[first].contender->machine()->facts().cache_bytes > 0;
    settings.cache = caches ? measure::Cache::cold : measure::Cache::hot;
    settings.stop.at_least = 15;
    settings.stop.seconds = 0.3;
    settings.progress = [&](const std::string& what, double done) {
      return !conditions.progress || conditions.progress(what, from + share * done);
    };
    auto rows = measure::bench(group, all_[first].problem, settings);
    from += share;
    conditions.go_on("timed", from);
    for (std::size_t i = 0; i < rows.size(); ++i) all_[first + i].row = std::move(rows[i]);
    first = end;
  }
}

// Nothing is run: a launch into a capture does not look at its matrices, so any address will do.
void Study::look_at_kernels() {
  kernels_.resize(all_.size());
  std::string missing;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Studied& one = all_[i];
    if (one.contender->is_baseline()) continue;
    runtime::Buffer some;
    expect(runtime::Buffer::make(one.contender->machine(), 256, some));
    const Call call{one.problem, 1, some.data(), some.data(), 0, some.data()};
    std::vector<runtime::KernelFacts> kernels;
    const Status status = one.contender->machine()->kernels(
        [&](runtime::Stream stream) { return one.contender->run(call, stream); }, kernels);
    if (!status.ok()) {
      missing = status.message();
    } else if (kernels.size() == 1) {
      const runtime::KernelFacts& k = kernels[0];
      kernels_[i] = k.name;
      one.facts = {{"registers", k.registers},       {"local_bytes", k.local_bytes},
                   {"shared_bytes", k.shared_bytes}, {"threads", k.threads},
                   {"blocks_an_sm", k.blocks_an_sm}, {"grid_blocks", static_cast<double>(k.blocks)}};
    }
  }
  if (!missing.empty()) notes_.push_back("The resources of the kernels are not known: " + missing + ".");
}

void Study::read_code(const Conditions& conditions) {
  std::map<std::string, std::vector<std::string>> by_file;  // mangled names
  const std::string rungs = rungs_file();
  const std::string own = own_.empty() ? "" : lab_kernels_file();
  const auto file_of = [&](const Studied& one) { return is_lab_kernel(one.contender->id()) ? own : rungs; };
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (kernels_[i].empty()) continue;
    auto& names = by_file[file_of(all_[i])];
    if (std::ranges::find(names, kernels_[i]) == names.end()) names.push_back(kernels_[i]);
  }
  if (by_file.empty()) return;
  try {
    const std::string cuobjdump = profile::find_cuobjdump();
    std::map<std::string, std::vector<profile::Function>> code;
    for (const auto& [file, names] : by_file) {
      code[file] = profile::disassemble(cuobjdump, file, names, [&] {
        return !conditions.progress || conditions.progress("reading machine code", 0.7);
      });
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const profile::Function* found =
          profile::find_function(code[file_of(all_[i])], kernels_[i], all_[i].contender->machine()->facts().arch);
      if (found != nullptr) all_[i].facts.merge(profile::facts(profile::longest_loop(*found)));
    }
  } catch (const Error& error) {
    conditions.go_on("", 1);  // if it was stopped, that is the reason
    notes_.push_back(fmt::format("The machine code was not read: {}.", error.what()));
  }
}

void Study::count(const Conditions& conditions) {
  if (question_.counters.empty()) return;
  try {
    const std::string ncu = profile::find_ncu();
    const Problem problem = all_[0].problem;
    std::vector<Studied*> watched;
    std::vector<std::string> ids;
    for (Studied& one : all_) {
      if (one.problem != problem || one.contender->is_baseline() || !one.row.timed()) continue;
      watched.push_back(&one);
      ids.emplace_back(one.contender->id());
    }
    if (ids.empty()) return;
    const auto found = profile::profile_each(ncu,
                                             {.id = ids[0],
                                              .device = conditions.device,
                                              .problem = problem,
                                              .build = "",
                                              .seed = conditions.seed,
                                              .runs = 1,
                                              .also = {ids.begin() + 1, ids.end()}},
                                             {.counters = question_.counters, .tick = [&] {
                                                return !conditions.progress || conditions.progress("profiling", 0.75);
                                              }});
    for (std::size_t i = 0; i < watched.size(); ++i) {
      // If the driver has already reported a fact, the profiler's value for it is left out.
      watched[i]->facts.merge(profile::Values(profile::median(found[i].runs)));
    }
  } catch (const Error& error) {
    conditions.go_on("", 1);  // if it was stopped, that is the reason
    notes_.push_back(fmt::format("There are no counters: {}.", error.what()));
  }
}

const Studied* Study::find(std::string_view name, const Problem& problem) const {
  for (const Studied& one : all_) {
    if (one.name == name && one.problem == problem && one.row.timed()) return &one;
  }
  return nullptr;
}

std::vector<Problem> Study::problems() const {
  std::vector<Problem> out;
  for (const Studied& one : all_) {
    if (out.empty() || out.back() != one.problem) out.push_back(one.problem);
  }
  return out;
}

void Study::each(const std::function<void(Studied&)>& f) {
  for (Studied& one : all_) f(one);
}

double Study::cublas_ms(const Problem& problem) const {
  const Studied* one = find(kCublas, problem);
  return one == nullptr ? 0 : measure::median(one->row.samples_ms);
}

Table Study::table(const std::vector<Shown>& shown) const {
  Table out;
  out.columns = {{"id", "kernel", Align::left},          {"tile", "tile", Align::left},
                 {"problem", "problem", Align::left},    time_column("median_ms", "ms"),
                 {"tflops", "TFLOP/s", Align::right, 2}, {"percent_of_cublas", "% of cuBLAS", Align::right, 1}};
  std::vector<std::string> keys;
  for (const Shown& one : shown) {
    if (std::ranges::none_of(all_, [&](const Studied& s) { return s.facts.contains(one.key); })) continue;
    // Of the machine code, what no kernel has is not worth a column.
    const bool absent = std::ranges::all_of(all_, [&](const Studied& s) {
      const auto found = s.facts.find(one.key);
      return found == s.facts.end() || found->second == 0;
    });
    if (absent && one.key.starts_with("loop_")) continue;
    keys.push_back(one.key);
    out.columns.push_back({one.key, one.title, Align::right, one.decimals, one.audience});
  }
  out.columns.push_back({"samples_ms", "", Align::right, 6, Audience::machines});
  for (const Studied& one : all_) {
    std::vector<Cell> cells = {one.name, one.tile, one.problem.brief()};
    cells.resize(6);  // absent, unless it was timed
    if (const Timed timed = one.timed(); !timed.samples.empty()) {
      const double ms = measure::median(timed.samples), cublas = cublas_ms(one.problem);
      cells[3] = ms;
      cells[4] = measure::flops(one.problem) / ms / 1e9;
      if (cublas > 0) cells[5] = 100 * cublas / ms;
    }
    for (const std::string& key : keys) {
      const auto found = one.facts.find(key);
      cells.emplace_back();
      if (found != one.facts.end()) cells.back() = found->second;
    }
    cells.emplace_back(one.timed().samples);
    out.rows.push_back(std::move(cells));
  }
  return out;
}

Findings Study::findings(const std::vector<Shown>& shown, std::vector<std::string> conclusions) const {
  Findings out;
  out.report.before = {machine_,
                       "Times as cairn bench takes them, caches cold, every kernel verified at its size; % of "
                       "cublas/gemm_ex."};
  out.report.table = table(shown);
  for (const Studied& one : all_) {
    if (!one.row.failed()) continue;
    out.holds = false;
    out.report.alarms.push_back(fmt::format("FAILED: {} ({}): {}", one.name, one.tile, one.row.verified));
  }
  out.conclusions = std::move(conclusions);
  out.notes = notes_;
  return out;
}

}  // namespace cairn::lab
