// The experiment "precision": how far products in f32, split f32, TF32, f16 and bf16 are from the exact one, and how
// that depends on K and on the numbers. On a GPU, or on the emulator, whose tensor cores then truncate sums as the hardware does.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "lab/baselines.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/comparing.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/precision_errors.hpp"
#include "lab/experiments/precision_findings.hpp"
#include "lab/experiments/precision_picture.hpp"
#include "lab/experiments/study.hpp"
#ifdef CAIRN_HAVE_EMULATOR
#include "emu/emulator.hpp"
#endif

namespace cairn::lab {
namespace {

// m and n. On a GPU C is large enough for every SM to have a tile of it, so that nobody splits K for want of tiles; some
// of its rows are enough to compare. What the emulator multiplies is small, as it is slow.
constexpr std::int64_t kSideOnGpu = 2048, kSideEmulated = 64, kRows = 64;
constexpr std::int64_t kOnGpu[] = {1024, 4096, 16384, 65536}, kEmulated[] = {256, 1024};

struct Way {
  const char *id, *type;
};
constexpr Way kWays[] = {
    {"simt/22", "f32"},         {"cublas/gemm_ex", "f32"},      {"hopper/61", "split"},
    {"hopper/60", "split"},     {"tensor/40", "split"},         {"tensor/38", "tf32"},
    {"cublas/gemm_ex", "tf32"}, {"tensor/38", "f16:f32"},       {"cublas/gemm_ex", "f16:f32"},
    {"tensor/38", "bf16:f32"},  {"cublas/gemm_ex", "bf16:f32"},
};

// Sums of tensor cores as the hardware cuts them off, for as long as this lives.
class Faithful {
 public:
  explicit Faithful(runtime::Kind kind) : emulated_(kind == runtime::Kind::emu) { set(true); }
  ~Faithful() { set(false); }
  Faithful(const Faithful&) = delete;
  Faithful& operator=(const Faithful&) = delete;

 private:
  void set([[maybe_unused]] bool on) const {
#ifdef CAIRN_HAVE_EMULATOR
    if (emulated_) cairn_emu_plain()->configure({.faithful_tensor = on});
#endif
  }
  [[maybe_unused]] bool emulated_;
};

// Those of the ways that this machine has.
struct Entrant {
  Contender* contender;
  const char* type;
};
std::vector<Entrant> entrants(Contenders& all) {
  std::vector<Entrant> out;
  for (const Way& way : kWays) {
    for (const auto& one : all) {
      if (one->id().starts_with(way.id)) out.push_back({one.get(), way.type});
    }
  }
  return out;
}

std::string scientific(double x) { return x == 0 ? "-" : fmt::format("{:.2e}", x); }

Table table(const std::vector<Erring>& all) {
  Table out;
  out.columns = {{"numbers", "A and B", Align::left},
                 {"name", "by", Align::left},
                 {"type", "type", Align::left},
                 {"k", "K"},
                 {"error_text", "error", Align::right, 3, Audience::people},
                 {"factors_text", "of factors", Align::right, 3, Audience::people},
                 {"sums_text", "of sums", Align::right, 3, Audience::people},
                 {"largest_text", "largest / Σ|a||b|", Align::right, 3, Audience::people},
                 {"rowwise_text", "largest of a row", Align::right, 3, Audience::people},
                 {"error", "", Align::right, 3, Audience::machines},
                 {"factors", "", Align::right, 3, Audience::machines},
                 {"sums", "", Align::right, 3, Audience::machines},
                 {"largest", "", Align::right, 3, Audience::machines},
                 {"rowwise", "", Align::right, 3, Audience::machines},
                 {"growth", "sums grow as K^", Align::right, 2}};
  const auto grow = growths(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Erring& one = all[i];
    const bool last = i + 1 == all.size() || all[i + 1].way() != one.way() || all[i + 1].numbers != one.numbers;
    Cell power;
    for (const Growth& of : grow) {
      if (last && of.numbers == one.numbers && of.way == one.way()) power = of.power;
    }
    out.rows.push_back({one.numbers, one.name, one.type, one.k, scientific(one.error), scientific(one.factors),
                        scientific(one.sums), scientific(one.largest), scientific(one.rowwise), one.error,
                        one.factors, one.sums, one.largest, one.rowwise == 0 ? Cell{} : Cell{one.rowwise}, power});
  }
  return out;
}

Findings concluded(const std::vector<Erring>& found, std::string heading) {
  Conclusions conclusions = compare_errors(found);
  Findings out;
  out.holds = conclusions.holds;
  out.report.before = {std::move(heading)};
  out.report.table = table(found);
  out.conclusions = std::move(conclusions.sentences);
  return out;
}

}  // namespace

Findings precision_experiment(const Conditions& conditions) {
  Contenders all;
  expect(contenders(conditions.device, all));
  const auto machine = all.at(0)->machine();
  add_baselines(machine, all);
  const auto entered = entrants(all);
  if (entered.empty())
    throw Error(kLacking, "no rung on this device takes these problems, so no errors were measured");
  const bool emulated = machine->facts().kind == runtime::Kind::emu;
  const Faithful faithful(machine->facts().kind);

  std::vector<std::int64_t> ks(std::begin(kOnGpu), std::end(kOnGpu));
  if (emulated) ks.assign(std::begin(kEmulated), std::end(kEmulated));
  const std::int64_t side = emulated ? kSideEmulated : kSideOnGpu;
  Shape shape{side, side, 0};
  if (conditions.shape) {
    shape = *conditions.shape;
    ks = {shape.k};
    while (ks.size() < 4 && ks.front() >= 64) ks.insert(ks.begin(), ks.front() / 2);
  }

  // By K inside, so that what was drawn is kept for all ways; and then by way, as the table has it.
  std::vector<Erring> found;
  std::vector<std::string> beyond;
  double total = 0, done = 0;
  for (const std::int64_t k : ks) total += static_cast<double>(std::size(all_numbers())) * static_cast<double>(k);
  for (const Numbers& numbers : all_numbers()) {
    std::vector<Erring> here;
    for (const std::int64_t k : ks) {
      shape.k = k;
      conditions.go_on(fmt::format("{}, K = {}", numbers.name, k), done / total);
      const Drawn drawn = draw_and_multiply(numbers, shape, kRows, conditions.seed);
      std::optional<Stored> stored;
      for (const auto& [contender, type] : entered) {
        Problem p;
        expect(parse(fmt::format("{} nn {}x{}x{}", type, shape.m, shape.n, shape.k), p));
        if (!contender->refuses(p).empty()) continue;
        conditions.go_on(fmt::format("{}, K = {}, {} {}", numbers.name, k, contender->id(), type), done / total);
        if (!stored || !stored->serves(p)) stored = store(p, drawn);
        if (!stored->finite()) {
          const std::string where = fmt::format("{} of {}", type, numbers.name);
          if (std::ranges::find(beyond, where) == beyond.end()) beyond.push_back(where);
          continue;
        }
        Erring one = measure_errors(*contender, p, drawn, *stored);
        one.numbers = numbers.name, one.name = study_name(contender->id()), one.type = type, one.k = k;
        here.push_back(std::move(one));
      }
      done += static_cast<double>(k);
    }
    std::ranges::stable_sort(here, {}, [&](const Erring& one) {
      return std::ranges::find_if(
                 kWays, [&](const Way& way) { return one.name.starts_with(way.id) && one.type == way.type; }) -
             std::begin(kWays);
    });
    std::ranges::move(here, std::back_inserter(found));
  }

  Findings out = concluded(found, fmt::format("{}x{}xK on {}{}", shape.m, shape.n, machine->facts().name,
                                              emulated ? ", whose tensor cores truncate sums as Hopper's do" : ""));
  out.notes.push_back(
      fmt::format("C is {} x {}, and {} rows of it, evenly spread, were compared with the exact ones.", shape.m,
                  shape.n, std::min(shape.m, kRows)));
  if (!beyond.empty())
    out.notes.push_back(fmt::format("Left out, as the type cannot hold the numbers: {}.", listed(beyond)));
  return out;
}

namespace {

std::vector<Erring> rows_of(const record::LabRecord& record) {
  std::vector<Erring> found;
  for (const record::LabRow& row : record.rows) {
    found.push_back({.numbers = row.text("numbers"),
                     .name = row.text("name"),
                     .type = row.text("type"),
                     .k = row.integer("k"),
                     .error = row.number("error"),
                     .factors = row.number("factors"),
                     .sums = row.number("sums"),
                     .largest = row.number("largest"),
                     .rowwise = row.number_if("rowwise").value_or(0)});
  }
  return found;
}

}  // namespace

Findings recorded_precision(const record::LabRecord& record) { return concluded(rows_of(record), record.machine); }

std::string precision_picture(const record::LabRecord& record) {
  return error_picture(rows_of(record), record.machine);
}

std::string precision_table(const record::LabRecord& record) { return error_table(rows_of(record)); }

}  // namespace cairn::lab
