// The experiment "precision": how far products in f32, split f32, TF32, f16 and bf16 are from the exact one, and how
// that grows with K. On a GPU, or on the emulator, whose tensor cores then truncate sums as the hardware does.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "cairn/numbers.hpp"
#include "lab/baselines.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/comparing.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/precision_findings.hpp"
#include "lab/experiments/study.hpp"
#include "lab/random.hpp"
#include "lab/workers.hpp"
#include "src/cpu/reference.hpp"
#include "src/cpu/threads.hpp"
#ifdef CAIRN_HAVE_EMULATOR
#include "emu/emulator.hpp"
#endif

namespace cairn::lab {
namespace {

constexpr std::int64_t kSide = 64;  // m and n
constexpr std::int64_t kOnGpu[] = {1024, 4096, 16384, 65536}, kEmulated[] = {256, 1024, 4096};

// How A and B are drawn.
struct Numbers {
  const char* name;
  double (*draw)(Random& random);
};
constexpr Numbers kNumbers[] = {
    {"N(0, 1)",
     [](Random& random) {  // Box and Muller's; the first is never 0
       const double radius = std::sqrt(-2 * std::log((random.real() + 1) / 2 + 0x1p-54));
       return radius * std::cos(std::numbers::pi * random.real());
     }},
    {"U(0, 1)", [](Random& random) { return (random.real() + 1) / 2; }},
    {"2^±10",
     [](Random& random) {
       const double size = std::ldexp(1.5 + random.real() / 2, static_cast<int>(random.integer(-10, 10)));
       return random.chance(50) ? size : -size;
     }},
};

struct Way {
  const char *id, *type;
};
constexpr Way kWays[] = {
    {"simt/22", "f32"},
    {"cublas/gemm_ex", "f32"},
    {"tensor/40", "split"},
    {"tensor/38", "tf32"},
    {"cublas/gemm_ex", "tf32"},
    {"tensor/38", "f16:f32"},
    {"cublas/gemm_ex", "f16:f32"},
    {"tensor/38", "bf16:f32"},
    {"cublas/gemm_ex", "bf16:f32"},
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

// The nearest TF32, ties away from zero; x is finite and not next to the largest.
float to_tf32(float x) { return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & 0xffffe000u); }

// Numbers as a problem stores them, and as it multiplies them.
struct Operand {
  std::vector<std::byte> stored, multiplied;
};
Operand as_multiplied(const std::vector<float>& numbers, const Problem& p) {
  Operand out;
  with_type(p.in, [&]<class T>() {
    out.stored.resize(numbers.size() * sizeof(T));
    out.multiplied.resize(out.stored.size());
    auto* stored = reinterpret_cast<T*>(out.stored.data());
    auto* multiplied = reinterpret_cast<T*>(out.multiplied.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      stored[i] = static_cast<T>(numbers[i]);
      multiplied[i] = p.compute == Compute::tf32 ? static_cast<T>(to_tf32(numbers[i])) : stored[i];
    }
  });
  return out;
}

// A B, exactly, or the sums of |a||b|; rows are divided among threads.
std::vector<double> product(const Problem& p, const void* A, const void* B, bool magnitudes = false) {
  const auto count = static_cast<std::size_t>(p.m * p.n);
  std::vector<double> hi(count), lo(count);
  cpu::spread(workers_for(p.m * p.n * p.k), p.m, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    Problem rows = p;
    rows.m = end - begin;
    const Call call{rows, 1, static_cast<const std::byte*>(A) + begin * p.lda * size_of(p.in), B, 0, nullptr};
    if (magnitudes) {
      cpu::magnitude(call, hi.data() + begin * p.n);
    } else {
      cpu::exact(call, hi.data() + begin * p.n, lo.data() + begin * p.n);
    }
  });
  return hi;
}

std::vector<float> multiply(Contender& contender, const Problem& p, const Operand& A, const Operand& B) {
  const auto& machine = contender.machine();
  std::vector<float> C(static_cast<std::size_t>(p.m * p.n));
  runtime::Buffer a, b, c;
  expect(runtime::Buffer::make(machine, A.stored.size(), a));
  expect(runtime::Buffer::make(machine, B.stored.size(), b));
  expect(runtime::Buffer::make(machine, C.size() * sizeof(float), c));
  expect(machine->copy_in(a.data(), A.stored.data(), A.stored.size(), nullptr));
  expect(machine->copy_in(b.data(), B.stored.data(), B.stored.size(), nullptr));
  expect(contender.prepare(p));
  expect(contender.run({p, 1, a.data(), b.data(), 0, c.data()}, nullptr));
  expect(machine->synchronize(nullptr));
  expect(machine->copy_out(C.data(), c.data(), c.bytes(), nullptr));
  expect(machine->synchronize(nullptr));
  return C;
}

// |x - y| in the Frobenius norm; without y |x|.
template <class X> double distance(const std::vector<X>& x, const std::vector<double>& y = {}) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = static_cast<double>(x[i]) - (y.empty() ? 0 : y[i]);
    sum += d * d;
  }
  return std::sqrt(sum);
}

// What was drawn for one K, and its product.
struct Drawn {
  std::vector<float> A, B;
  std::vector<double> exact, magnitude;
  double norm = 0;
};
Drawn draw(const Numbers& numbers, const Shape& shape, std::uint64_t seed) {
  const auto& [m, n, k] = shape;
  Drawn out;
  Random for_a(seed), for_b(~seed);
  out.A.resize(static_cast<std::size_t>(m * k));
  out.B.resize(static_cast<std::size_t>(k * n));
  for (float& x : out.A) x = static_cast<float>(numbers.draw(for_a));
  for (float& x : out.B) x = static_cast<float>(numbers.draw(for_b));
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, m, n, k);
  out.exact = product(p, out.A.data(), out.B.data());
  out.magnitude = product(p, out.A.data(), out.B.data(), true);
  out.norm = distance(out.exact);
  return out;
}

Erring measure_errors(Contender& contender, const Problem& p, const Drawn& drawn) {
  const Operand A = as_multiplied(drawn.A, p), B = as_multiplied(drawn.B, p);
  const std::vector<float> C = multiply(contender, p, A, B);
  const bool rounds = p.in != Type::f32 || p.compute == Compute::tf32;
  const std::vector<double> rounded =
      rounds ? product(p, A.multiplied.data(), B.multiplied.data()) : std::vector<double>{};
  Erring out;
  out.error = distance(C, drawn.exact) / drawn.norm;
  out.factors = rounds ? distance(rounded, drawn.exact) / drawn.norm : 0;
  out.sums = rounds ? distance(C, rounded) / drawn.norm : out.error;
  for (std::size_t i = 0; i < C.size(); ++i)
    out.largest = std::max(out.largest, std::abs(static_cast<double>(C[i]) - drawn.exact[i]) / drawn.magnitude[i]);
  return out;
}

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
                 {"error", "", Align::right, 3, Audience::machines},
                 {"factors", "", Align::right, 3, Audience::machines},
                 {"sums", "", Align::right, 3, Audience::machines},
                 {"largest", "", Align::right, 3, Audience::machines},
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
                        scientific(one.sums), scientific(one.largest), one.error, one.factors, one.sums, one.largest,
                        power});
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
  Shape shape{kSide, kSide, 0};
  if (conditions.shape) {
    shape = *conditions.shape;
    ks = {shape.k};
    while (ks.size() < 4 && ks.front() >= 64) ks.insert(ks.begin(), ks.front() / 2);
  }

  // By K inside, so that what was drawn is kept for all ways; and then by way, as the table has it.
  std::vector<Erring> found;
  const double total = static_cast<double>(std::size(kNumbers)) * 2.0 * static_cast<double>(ks.back());
  double done = 0;
  for (const Numbers& numbers : kNumbers) {
    std::vector<Erring> here;
    for (const std::int64_t k : ks) {
      shape.k = k;
      conditions.go_on(fmt::format("{}, K = {}", numbers.name, k), done / total);
      const Drawn drawn = draw(numbers, shape, conditions.seed);
      for (const auto& [contender, type] : entered) {
        Problem p;
        expect(parse(fmt::format("{} nn {}x{}x{}", type, shape.m, shape.n, shape.k), p));
        if (!contender->refuses(p).empty()) continue;
        conditions.go_on(fmt::format("{}, K = {}, {} {}", numbers.name, k, contender->id(), type), done / total);
        Erring one = measure_errors(*contender, p, drawn);
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

  return concluded(found, fmt::format("{}x{}xK on {}{}", shape.m, shape.n, machine->facts().name,
                                      emulated ? ", whose tensor cores truncate sums as Hopper's do" : ""));
}

Findings recorded_precision(const record::LabRecord& record) {
  std::vector<Erring> found;
  for (const record::LabRow& row : record.rows) {
    found.push_back({.numbers = row.text("numbers"),
                     .name = row.text("name"),
                     .type = row.text("type"),
                     .k = row.integer("k"),
                     .error = row.number("error"),
                     .factors = row.number("factors"),
                     .sums = row.number("sums"),
                     .largest = row.number("largest")});
  }
  return concluded(found, record.machine);
}

}  // namespace cairn::lab
