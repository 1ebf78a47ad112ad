#include "lab/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/shapes.hpp"
#include "lab/suites.hpp"

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

}  // namespace

std::vector<Problem> ProblemOptions::problems() const {
  std::vector<Shape> shapes;
  for (const std::string& text : shape) {
    for (const Shape& s : parse_shapes(text)) shapes.push_back(s);
  }
  std::vector<Problem> result;
  Problem p;
  for (const std::string& t : type) {
    read_type(t, p);
    for (const std::string& o : order) {
      read_order(o, p);
      for (const std::string& l : layout) {
        read_layout(l, p);
        for (const Shape& s : shapes) {
          p.m = s.m, p.n = s.n, p.k = s.k;
          p.pack();
          result.push_back(p);
        }
      }
    }
  }
  return result;
}

std::vector<Problem> ProblemOptions::problems(const std::string& suite) const {
  if (suite.empty()) return problems();
  std::vector<Problem> result;
  for (const SuiteLine& line : read_suite(suite)) {
    ProblemOptions one = *this;
    one.shape = {fmt::format("{}x{}x{}", line.shape.m, line.shape.n, line.shape.k)};
    if (!line.layout.empty()) one.layout = {line.layout};
    for (const Problem& problem : one.problems()) result.push_back(problem);
  }
  return result;
}

void add_problem_flags(CLI::App& verb, ProblemOptions& options) {
  add_list(verb, "--shape", options.shape, "Sizes: 1024, 4096x1024x512 (m x n x k), 256:1024:256 (a range)");
  add_list(verb, "--layout", options.layout, "nn, nt, tn, tt: which of A and B are stored transposed");
  add_list(verb, "--type", options.type, std::string("Types: ") + kTypes);
  add_list(verb, "--order", options.order, "row or column: which neighbours touch in memory");
}

void add_suite_flag(CLI::App& verb, std::string& suite) {
  verb.add_option(
      "--suite", suite,
      fmt::format("A list of shapes instead of --shape: {}, or a file (a line: M N K layout)", suite_names()));
}

void add_device_flag(CLI::App& verb, std::string& device) {
  verb.add_option("--device", device, "auto, cpu, emu, gpu or gpu:N")->capture_default_str();
}

void add_seed_flag(CLI::App& verb, std::uint64_t& seed) {
  verb.add_option("--seed", seed, "Draws the data; the same seed gives the same numbers")->capture_default_str();
}

void add_output_flags(CLI::App& verb, OutputOptions& options) {
  verb.add_option("--format", options.format, "table, csv, json or md; by default what --out ends in, else a table");
  verb.add_option("--out", options.out, "Write to this file, which must not exist; - is standard output, as is no --out");
  verb.add_flag("--force", options.force, "Let --out replace a file");
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

void check_memory(const Problem& p, std::int64_t memory_bytes, int sets) {
  const auto size = [](std::int64_t rows, std::int64_t cols, Type type) {
    return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(size_of(type));
  };
  const double bytes = sets * (size(p.m, p.k, p.in) + size(p.k, p.n, p.in) + size(p.m, p.n, p.out));
  if (memory_bytes > 0 && bytes > static_cast<double>(memory_bytes)) {
    throw Error(
        kLacking,
        fmt::format("{} needs {:.1f} GB for its matrices and the device has {:.1f} GB; choose a smaller --shape",
                    p.brief(), bytes / 1e9, static_cast<double>(memory_bytes) / 1e9));
  }
}

}  // namespace cairn::lab
