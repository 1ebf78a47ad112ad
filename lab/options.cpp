#include "lab/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lab/epilogue.hpp"
#include "lab/exit.hpp"
#include "lab/numbers.hpp"
#include "lab/shapes.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab {
namespace {

constexpr const char* kTypes = "f64, f32, f16, bf16, e4m3, tf32, split, e4m3fast or in:out such as e4m3:bf16";

// A flag that may be repeated, or hold several values separated by commas, but takes no bare word after it:
// those are contenders.
CLI::Option* add_list(CLI::App& verb, const std::string& flag, std::vector<std::string>& list,
                      const std::string& help) {
  return verb.add_option(flag, list, help)->delimiter(',')->allow_extra_args(false);
}

// Types and layouts are parsed by Problem's own parser. `rest` has all other parts of a problem, so that a word of
// another kind is given twice and refused.
Problem read(const std::string& word, const char* rest, const char* flag, const char* right) {
  const bool one_word = word.find_first_of(" \t=") == std::string::npos && !word.empty();
  Problem parsed;
  if (!one_word || !parse(fmt::format("{} {}", word, rest), parsed).ok()) {
    throw Error(kUsage, fmt::format("{} '{}' is not {}", flag, word, right));
  }
  return parsed;
}

void read_type(const std::string& word, Problem& problem) {
  const Problem read_as = read(word, "nn 1x1x1 order=row", "--type", kTypes);
  problem.in = read_as.in, problem.out = read_as.out, problem.compute = read_as.compute;
}

void read_layout(const std::string& word, Problem& problem) {
  const Problem read_as = read(word, "f32 1x1x1 order=row", "--layout", "nn, nt, tn or tt");
  problem.op_a = read_as.op_a, problem.op_b = read_as.op_b;
}

void read_order(const std::string& word, Problem& problem) {
  if (!parse(word, problem.order).ok()) throw Error(kUsage, fmt::format("--order '{}' is not row or column", word));
}

// Throws for a leading dimension below the least, and names the flag that gave it.
void check_leading(const ProblemOptions& options, const Problem& packed) {
  const LeadingDimensions leading = options.leading();
  const auto check = [&](const std::optional<Leading>& given, const std::string& own, const char* flag, char matrix,
                         const Stored& stored) {
    if (!given) return;
    const std::string& text = own.empty() ? options.ld : own;
    const char* named = own.empty() ? "--ld" : flag;
    if (!given->above_least && given->elements < stored.min_ld())
      throw Error(kUsage, fmt::format("{} {}: {} needs {} or more for {}", named, text, packed.brief(),
                                      stored.min_ld(), matrix));
    if (given->elements > std::numeric_limits<std::int64_t>::max() - stored.min_ld())
      throw Error(kUsage, fmt::format("{} {} is too large", named, text));
  };
  check(leading.a, options.lda, "--lda", 'A', packed.a());
  check(leading.b, options.ldb, "--ldb", 'B', packed.b());
  check(leading.c, options.ldc, "--ldc", 'C', packed.c());
}

}  // namespace

LeadingDimensions ProblemOptions::leading() const {
  const auto read = [&](const std::string& own, const char* flag) -> std::optional<Leading> {
    if (!own.empty()) return parse_leading(own, flag);
    if (!ld.empty()) return parse_leading(ld, "--ld");
    return {};
  };
  return {read(lda, "--lda"), read(ldb, "--ldb"), read(ldc, "--ldc")};
}

std::optional<Invariant> ProblemOptions::invariant_asked() const {
  Invariant asked = Invariant::none;
  if (invariant.empty()) return {};
  if (!parse(invariant, asked).ok())
    throw Error(kUsage, fmt::format("--invariant '{}' is not none, rows or columns", invariant));
  return asked;
}

std::vector<Problem> ProblemOptions::problems() const {
  std::vector<Problem> result;
  if (!suite.empty() || count) {
    for (const ProblemOptions& line : lines()) {
      for (const Problem& problem : line.problems()) result.push_back(problem);
    }
    return result;
  }
  std::vector<Shape> shapes;
  for (const std::string& text : shape) {
    for (const Shape& s : parse_shapes(text)) shapes.push_back(s);
  }
  const LeadingDimensions given = leading();
  Problem p;
  p.invariant = invariant_asked().value_or(Invariant::none);
  for (const std::string& t : type) {
    read_type(t, p);
    for (const std::string& o : order) {
      read_order(o, p);
      for (const std::string& l : layout) {
        read_layout(l, p);
        for (const Shape& s : shapes) {
          p.m = s.m, p.n = s.n, p.k = s.k;
          p.pack();
          check_leading(*this, p);
          given.apply(p);
          p.batch = batch.value_or(1), p.groups = groups.value_or(0);
          set_strides_end_to_end(p);
          for (const Problem& finished : each_epilogue(epilogue, scales, p)) result.push_back(finished);
        }
      }
    }
  }
  return result;
}

void add_problem_flags(CLI::App& verb, ProblemOptions& options) {
  add_list(verb, "--shape", options.shape, "Sizes: 1024, 4096x1024x512 (m x n x k), 256:1024:256 (a range)")
      ->each([&](const std::string&) { options.shape_given = true; });
  add_list(verb, "--layout", options.layout, "nn, nt, tn, tt: which of A and B are stored transposed")
      ->each([&](const std::string&) { options.layout_given = true; });
  add_list(verb, "--type", options.type, std::string("Types: ") + kTypes);
  add_list(verb, "--order", options.order, "row or column: which neighbours touch in memory");
  verb.add_option("--ld", options.ld, "Leading dimension of A, B and C: elements, or +8 for 8 above the least");
  const auto own = [&](const char* flag, std::string& text, const char* matrix) {
    verb.add_option(flag, text, fmt::format("The same for {}", matrix));
  };
  own("--lda", options.lda, "A alone"), own("--ldb", options.ldb, "B alone"), own("--ldc", options.ldc, "C alone");
  for (const char* flag : {"--ld", "--lda", "--ldb", "--ldc"}) {
    verb.get_option(flag)->check([flag](const std::string& text) {
      (void)parse_leading(text, flag);
      return std::string();
    });
  }
  verb.add_option("--invariant", options.invariant,
                  "rows or columns: each has the same bits whatever m (or n) and the batch are; none if not given");
  add_list(verb, "--epilogue", options.epilogue,
           "What follows the product: bias (for each column of C) or row_bias, then relu, gelu, gelu_tanh or "
           "silu, and before to store its argument; joined by +, as bias+gelu");
  add_list(
      verb, "--scales", options.scales,
      "What multiplies products besides alpha: tensor, vector (rows of A, columns of B) or blocks (of 128 of k, e4m3 "
      "alone); or one for A and one for B, as tensor:vector");
  verb.add_option("--groups", options.groups,
                  "The rows of A and C are those of so many groups, each with a B of its own")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  verb.add_option("--batch", options.batch, "So many products, one behind the other; 1 if not given")
      ->check([](const std::string& text) {
        return text.find_first_not_of('0') == text.npos || text.starts_with('-') ? "a batch has 1 product or more"
                                                                                 : "";
      });
}

namespace {

template <class Number> void add_scalars(CLI::App& verb, Number& alpha, Number& beta, const char* otherwise) {
  const auto add = [&](const char* flag, Number& value, const std::string& help) {
    verb.add_option(flag, value, help)->check([](const std::string& text) {
      double number = 0;
      const bool good = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
      return good ? std::string() : fmt::format("'{}' is not a finite number", text);
    });
  };
  add("--alpha", alpha, fmt::format("Scales the product, C = alpha op(A) op(B) + beta C; {}", otherwise));
  add("--beta", beta, "Scales what C held; 0 does not read it");
}

}  // namespace

void add_scalar_flags(CLI::App& verb, Scalars& scalars) {
  add_scalars(verb, scalars.alpha, scalars.beta, "1, and --beta 0, if not given");
}

void add_scalar_flags(CLI::App& verb, std::optional<double>& alpha, std::optional<double>& beta) {
  add_scalars(verb, alpha, beta, "drawn if not given, as is --beta");
}

void add_device_flag(CLI::App& verb, std::string& device) {
  verb.add_option("--device", device, "auto, cpu, emu, gpu or gpu:N")->capture_default_str();
}

namespace {

void add_seed(CLI::App& verb, std::uint64_t& seed, const char* help) {
  verb.add_option("--seed", seed, help)->transform(whole_number(0, kMostSeed))->capture_default_str();
}

}  // namespace

void add_seed_flag(CLI::App& verb, std::uint64_t& seed) {
  add_seed(verb, seed, "Draws the data; the same seed gives the same numbers");
}

void add_seed_flag(CLI::App& verb, ProblemOptions& options) {
  add_seed(verb, options.seed, "Draws the data and the shapes of a drawn suite; the same seed gives the same ones");
}

void add_output_flags(CLI::App& verb, OutputOptions& options) {
  verb.add_option("--format", options.format, "table, csv, json or md; by default what --out ends in, else a table");
  verb.add_option("--out", options.out,
                  "Write to this file, which must not exist; - is standard output, as is no --out");
  verb.add_flag("--force", options.force, "Let --out replace a file");
  verb.add_flag("--wide", options.wide, "On a terminal: every column, and lines as long as they are");
}

void add_contender_ids(CLI::App& verb, std::vector<std::string>& ids) {
  verb.add_option(
      "ID", ids,
      "Contenders: an id, a glob such as 'cpu/*', or a prefix only one id has; a rung's tile by @1, all by @*");
}

int parse_device(const std::string& text) {
  if (text == "cpu") return -1;
  if (text == "emu") return -2;
  if (text == "gpu") return 0;
  int number = -1;
  if (text.starts_with("gpu:")) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 4, end, number);
    if (error != std::errc{} || stop != end) number = -1;
  }
  if (number < 0)
    throw Error(kUsage, fmt::format("--device '{}' is not auto, cpu, emu, gpu or gpu:N with N = 0, 1, …", text));
  return number;
}

int one_device(const std::string& text) {
  if (text != "auto") return parse_device(text);
  for (const runtime::Facts& facts : runtime::devices()) {
    if (facts.kind == runtime::Kind::gpu) return facts.device;
  }
  return parse_device("cpu");
}

Contenders open_contenders(const std::string& device, const std::vector<std::string>& ids) {
  std::vector<int> devices;
  if (device != "auto") {
    devices = {parse_device(device)};
  } else {
    devices = {-1};
    for (const runtime::Facts& facts : runtime::devices()) {
      if (facts.kind == runtime::Kind::gpu && devices.back() < 0) devices.push_back(facts.device);
    }
    if (devices.size() == 1 && runtime::devices().size() > 1) devices.push_back(-2);
  }
  Contenders all;
  for (const int number : devices) {
    Contenders more;
    expect(contenders(number, more, ids));
    for (auto& contender : more) all.push_back(std::move(contender));
  }
  expect(select(ids, all));
  return all;
}

std::string describe_machines(const Contenders& list) {
  std::vector<std::string> machines;
  for (const auto& contender : list) {
    const std::string one = describe(contender->machine()->facts());
    if (std::find(machines.begin(), machines.end(), one) == machines.end()) machines.push_back(one);
  }
  return fmt::format("{}", fmt::join(machines, ", and on "));
}

std::string device_name(const runtime::Facts& facts) {
  switch (facts.kind) {
    case runtime::Kind::cpu: return "cpu";
    case runtime::Kind::emu: return "emu";
    case runtime::Kind::gpu: break;
  }
  return fmt::format("gpu:{}", facts.device);
}

std::string describe(const runtime::Facts& facts) {
  std::string text =
      fmt::format("{}, {} {}", facts.name, facts.units, facts.kind == runtime::Kind::cpu ? "threads" : "SMs");
  return facts.software.empty() ? text : text + ", " + facts.software;
}

std::string examples(const std::vector<std::string>& lines) {
  return fmt::format("Examples:\n  {}", fmt::join(lines, "\n  "));
}

void check_scalars(const Scalars& scalars, const std::vector<Problem>& problems) {
  for (const Problem& p : problems) {
    for (const auto& [flag, value] : {std::pair{"--alpha", scalars.alpha}, std::pair{"--beta", scalars.beta}}) {
      if (!std::isfinite(dispatch::rounded_scalar(value, p.in)))
        throw Error(kUsage, fmt::format("{} {} is infinite in {}, in which {} is accumulated", flag, value,
                                        name(accumulator(p.in)), p.brief()));
    }
  }
}

void check_memory(const Problem& p, std::int64_t memory_bytes, int sets) {
  const auto size = [&](const Stored& matrix, std::int64_t count, Type type) {
    return static_cast<double>(matrix.major) * static_cast<double>(matrix.ld) * static_cast<double>(count) *
           static_cast<double>(size_of(type));
  };
  const double bytes =
      sets * (size(p.a(), p.batch, p.in) + size(p.b(), p.count_b(), p.in) + size(p.c(), p.batch, p.out));
  if (memory_bytes > 0 && bytes > static_cast<double>(memory_bytes)) {
    throw Error(
        kLacking,
        fmt::format("{} needs {:.1f} GB for its matrices and the device has {:.1f} GB; choose a smaller --shape",
                    p.brief(), bytes / 1e9, static_cast<double>(memory_bytes) / 1e9));
  }
}

}  // namespace cairn::lab
