#include "lab/contender_cublas.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/cublas_names.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/lab_kernels.hpp"
#include "lab/lt_scales.hpp"
#include "src/cpu/groups.hpp"
#include "src/cpu/scale.hpp"
#include "src/dispatch/check.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab {
namespace {

bool is_empty(const Problem& p) { return p.m == 0 || p.n == 0 || p.batch == 0; }

// Environment variables that change how cuBLAS multiplies, whatever its caller asks for.
struct Override {
  const char* variable;
  Type type;
};
constexpr Override kOverrides[] = {{"NVIDIA_TF32_OVERRIDE", Type::f32},
                                   {"CUBLAS_EMULATE_SINGLE_PRECISION", Type::f32},
                                   {"CUBLAS_EMULATE_DOUBLE_PRECISION", Type::f64}};

// cuBLAS opened once for all contenders of a machine.
class Shared {
 public:
  Shared(std::shared_ptr<runtime::Machine> machine, CublasSettings settings)
      : machine_(std::move(machine)), settings_(std::move(settings)) {}

  // A failure to open is kept and not tried again.
  Status open() {
    if (!tried_) status_ = settings_.open(machine_, cublas_);
    tried_ = true;
    return status_;
  }
  Cublas& cublas() { return *cublas_; }

  // cuBLAS does not promise that A and B are not read where alpha is 0, and they may be null or NaN then. A short
  // product of zeros scales C instead: without_inputs() gives that call, and the zeros are prepared here.
  Status make_zeros(const Problem& p) {
    const Problem scaling = without_inputs(Call{p}).problem;
    const std::int64_t elements = std::max(scaling.a().span(), scaling.b().span());
    const auto bytes = static_cast<std::size_t>(elements * size_of(p.in));
    if (bytes <= zeros_.bytes()) return {};
    runtime::Buffer zeros;
    if (auto s = runtime::Buffer::make(machine_, bytes, zeros); !s.ok()) return s;
    if (auto s = machine_->fill(zeros.data(), 0, bytes, nullptr); !s.ok()) return s;
    if (auto s = machine_->synchronize(nullptr); !s.ok()) return s;
    zeros_ = std::move(zeros);
    return {};
  }
  Call without_inputs(const Call& call) const {
    Call c = call;
    Problem& p = c.problem;
    p.k = 16;  // the smallest k that cuBLAS takes for 8-bit floats
    p.lda = p.a().min_ld(), p.ldb = p.b().min_ld();
    p.stride_a = p.stride_b = 0;
    p.scale_a = p.scale_b = Scale::none;
    c.scale_a = c.scale_b = nullptr;
    c.A = c.B = zeros_.data();
    return c;
  }

  const CublasSettings& settings() const { return settings_; }
  const std::shared_ptr<runtime::Machine>& machine() const { return machine_; }

 private:
  std::shared_ptr<runtime::Machine> machine_;
  CublasSettings settings_;
  std::unique_ptr<Cublas> cublas_;
  runtime::Buffer zeros_;
  Status status_;
  bool tried_ = false;
};

// The common base of the cuBLAS contenders.
class CublasContender : public Contender {
 public:
  explicit CublasContender(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  bool is_baseline() const override { return true; }
  std::string details() const override { return details_; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return shared_->machine(); }

  std::string refuses(const Problem& p) const override {
    if (auto s = dispatch::check(p); !s.ok()) return s.message();
    if (p.k == 0) return "k is 0; the cuBLAS contenders take k of 1 or more";
    for (const auto& [variable, type] : kOverrides) {
      if (p.in == type && std::getenv(variable) != nullptr)
        return fmt::format("{} is set and changes how cuBLAS multiplies; unset it", variable);
    }
    return refuses_further(p);
  }

  Status prepare(const Problem& p) override {
    details_.clear();
    if (is_empty(p)) return {};
    if (auto s = shared_->open(); !s.ok()) return s;
    if (auto s = shared_->make_zeros(p); !s.ok()) return s;
    if (auto s = choose(p, details_); !s.ok()) return s;
    if (p.in == Type::e4m3) details_ += p.compute == Compute::fast ? ", fast accumulation" : ", no fast accumulation";
    if (p.compute == Compute::split) details_ += ", plain f32, which promises the same accuracy";
    return {};
  }

  Status run(const Call& call, runtime::Stream stream) override {
    if (auto s = dispatch::check_pointers(call); !s.ok()) return s;
    if (is_empty(call.problem)) return {};
    if (auto s = shared_->open(); !s.ok()) return s;
    const Call rounded = dispatch::with_rounded_scalars(call);
    if (cpu::reads_inputs(rounded)) return multiply(rounded, stream);
    return multiply(shared_->without_inputs(rounded), stream);
  }

 protected:
  virtual std::string refuses_further(const Problem& p) const = 0;
  virtual Status choose(const Problem& p, std::string& details) = 0;
  virtual Status multiply(const Call& call, runtime::Stream stream) = 0;
  Shared& shared() const { return *shared_; }

 private:
  std::shared_ptr<Shared> shared_;
  std::string details_;
};

class GemmEx final : public CublasContender {
 public:
  using CublasContender::CublasContender;
  std::string_view id() const override { return "cublas/gemm_ex"; }
  std::string_view title() const override { return "cublasGemmEx, which chooses by itself"; }

 protected:
  std::string refuses_further(const Problem& p) const override {
    if (p.has_epilogue()) return "cublasGemmEx has no epilogue";
    return p.in == Type::e4m3 ? "cublasGemmEx takes no e4m3" : "";
  }
  Status choose(const Problem& p, std::string& details) override {
    details = p.is_grouped() ? "default algorithm, a call for each group" : "default algorithm";
    read_from_ = nullptr;
    return {};
  }
  Status multiply(const Call& call, runtime::Stream stream) override {
    if (!call.problem.is_grouped()) return shared().cublas().gemm_ex(call, stream);
    if (auto s = read_ends(call); !s.ok()) return s;
    Call known = call;
    known.ends = ends_.data();
    Status status;
    cpu::each_group(known, [&](const Call& one, std::int64_t) {
      if (status.ok()) status = shared().cublas().gemm_ex(one, stream);
    });
    return status;
  }

 private:
  // A program that loops over groups has to know where they end. It is read from the device once, before calls are
  // timed, and does not count.
  Status read_ends(const Call& call) {
    if (call.ends == read_from_) return {};
    ends_.resize(static_cast<std::size_t>(call.problem.groups));
    const std::size_t bytes = ends_.size() * sizeof(std::int32_t);
    if (auto s = machine()->copy_out(ends_.data(), call.ends, bytes, nullptr); !s.ok()) return s;
    if (auto s = machine()->synchronize(nullptr); !s.ok()) return s;
    read_from_ = call.ends;
    return {};
  }

  const std::int32_t* read_from_ = nullptr;
  std::vector<std::int32_t> ends_;
};

// "tile 128x256", or its number where the header had no name for it.
std::string named(const char* what, std::string_view name, std::int64_t id) {
  return name.empty() ? fmt::format("{} id {}", what, id) : fmt::format("{} {}", what, name);
}

std::string text_of(const LtAttributes& a) {
  std::string text =
      fmt::format("algorithm {}, {}, {}, split-k {}, swizzle {}", a.id, named("tile", cublas_tile(a.tile), a.tile),
                  named("stages", cublas_stages(a.stages), a.stages), a.split_k, a.swizzle);
  if (a.cluster != 0) text += ", " + named("cluster", cublas_cluster(a.cluster), a.cluster);
  if (a.custom != 0) text += fmt::format(", custom {}", a.custom);
  return text;
}

// One of the ways to take an algorithm from cuBLASLt's list.
struct LtWay {
  std::string_view id, title;
  bool tuned;
  Pipes pipes;
};
constexpr LtWay kFirst{"cublas/lt_first", "cuBLASLt, the first algorithm it offers", false, Pipes::all};
constexpr LtWay kTuned{"cublas/lt_tuned", "cuBLASLt, the fastest algorithm it offers", true, Pipes::all};
constexpr LtWay kFma{"cublas/lt_fma", "cuBLASLt, the fastest without tensor cores", true, Pipes::fma};

class Lt final : public CublasContender {
 public:
  Lt(std::shared_ptr<Shared> shared, const LtWay& way)
      : CublasContender(std::move(shared)), way_(way), scales_(machine()) {}
  std::string_view id() const override { return way_.id; }
  std::string_view title() const override { return way_.title; }

 protected:
  std::string refuses_further(const Problem& p) const override {
    if (way_.pipes == Pipes::fma && p.in != Type::f64)
      return "this contender takes only f64: f32 never uses tensor cores, and the other types need them";
    if (p.batch > std::numeric_limits<std::int32_t>::max()) return "the batch is too large for cuBLASLt's integers";
    if (p.is_grouped()) return "cuBLASLt takes no groups of rows on Hopper";
    if (const char* why = refuses_epilogue(p)) return why;
    if (p.in != Type::e4m3 || is_empty(p)) return "";
    const Problem row = dispatch::to_row(p);
    if (machine()->facts().arch < 100 && (row.op_a != Op::none || row.op_b != Op::transpose))
      return "cuBLAS multiplies e4m3 only as row-major nt, which is column-major tn";
    // Further rules on sizes and leading dimensions are known to cuBLASLt only, which is asked.
    if (auto s = shared().open(); !s.ok()) return s.message();
    Plan* plan = nullptr;
    return find(p, Alignment{}, plan).message();
  }

  // What cuBLASLt fuses: scales of e4m3, a bias of C's type for each row of a column-major C, ReLU, and GELU by tanh.
  static const char* refuses_epilogue(const Problem& p) {
    const Problem column = dispatch::to_column(Call{p}).problem;
    if (const char* why = refuses_scales(p)) return why;
    if (p.activation == Activation::gelu || p.activation == Activation::silu)
      return "cuBLASLt has ReLU and GELU by tanh, and no other activation";
    if (column.bias == Bias::columns) return "cuBLASLt adds a bias only along the other side of C";
    if (p.bias != Bias::none && p.bias_type != p.out) return "cuBLASLt takes a bias of C's type";
    if (p.before == Before::stored && p.activation != Activation::gelu_tanh)
      return "cuBLASLt stores the value before an activation only with GELU";
    if (p.before == Before::stored && p.ldc % 8 != 0)
      return "cuBLASLt stores values before an activation only in lines of whole eights";
    return nullptr;
  }

  static const char* refuses_scales(const Problem& p) {
    if (!p.is_scaled()) return nullptr;
    if (p.in != Type::e4m3) return "cuBLASLt scales only e4m3";
    if ((p.scale_a == Scale::vector) != (p.scale_b == Scale::vector))
      return "cuBLASLt takes a vector of scales for both operands or for none";
    if (p.scale_a == Scale::blocks && p.scale_b == Scale::blocks)
      return "cuBLASLt takes scales of 128x128 for one operand only";
    return p.batch > 1 ? "cuBLASLt takes the scales of one product" : nullptr;
  }

  Status choose(const Problem& p, std::string& details) override {
    Plan* plan = nullptr;
    if (auto s = find(p, Alignment{}, plan); !s.ok()) return s;
    if (way_.tuned && plan->origin.empty()) search(*plan);
    scales_.forget();  // the matrices of the search are gone, and others may lie where they were
    const std::string& origin = plan->origin;
    details = fmt::format("{}, {}", text_of(shared().cublas().attributes(plan->algorithm)),
                          origin.empty() ? "first heuristic" : origin);
    return {};
  }

  Status multiply(const Call& call, runtime::Stream stream) override {
    if (call.problem.out == Type::e4m3 && call.beta != 0) return {Code::unsupported, kNoBeta};
    const Alignment alignment = alignment_of(call);
    if (call.problem.in == Type::e4m3 && std::min({alignment.A, alignment.B, alignment.C}) < 16)
      return {Code::unsupported, "cuBLAS takes e4m3 only where A, B and C are aligned to 16 bytes"};
    const auto aligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
    if (!aligned(call.bias) || !aligned(call.before) || !aligned(call.scale_a) || !aligned(call.scale_b))
      return {Code::unsupported,
              "cuBLASLt takes a bias and scales, and stores values before an activation, aligned to 16 bytes"};
    Plan* plan = nullptr;
    if (auto s = find(call.problem, alignment, plan); !s.ok()) return s;
    return matmul(*plan, plan->algorithm, call, stream);
  }

 public:
  // Its tanh is the hardware's, within 2^-11.
  double activation_error(const Problem&) const override { return 0x1p-10; }
  Grid grid() const override { return {.epilogue = 16}; }
  std::string refuses_scalars(const Problem& p, const Scalars& scalars) const override {
    return p.out == Type::e4m3 && scalars.beta != 0 ? kNoBeta : "";
  }

 private:
  static constexpr const char* kNoBeta = "cuBLAS adds no C of e4m3 to a product; beta must be 0";

  struct Plan {
    Problem problem;
    Alignment alignment;
    std::shared_ptr<const LtDescription> description;
    LtAlgorithm algorithm;
    std::string origin;  // of a searched one: how it was found
  };

  Status matmul(const Plan& plan, const LtAlgorithm& algorithm, const Call& call, runtime::Stream stream) {
    Call arranged;
    if (auto s = scales_.arrange(call, arranged); !s.ok()) return s;
    return shared().cublas().matmul(*plan.description, algorithm, arranged, stream);
  }

  // The plan for a problem at these alignments: the one from before, or a new one with the first heuristic.
  Status find(const Problem& p, Alignment alignment, Plan*& out) const {
    if (last_ == nullptr || last_->problem != p || last_->alignment != alignment) {
      const auto key = fmt::format("{} {} {} {}", p.full(), alignment.A, alignment.B, alignment.C);
      auto at = plans_.find(key);
      if (at == plans_.end()) {
        Plan plan{p, alignment, nullptr, {}, ""};
        std::vector<LtAlgorithm> first;
        if (auto s = shared().cublas().describe(p, plan.description); !s.ok()) return s;
        if (auto s = shared().cublas().heuristics(*plan.description, alignment, way_.pipes, 1, first); !s.ok())
          return s;
        plan.algorithm = first.at(0);
        at = plans_.emplace(key, std::move(plan)).first;
      }
      last_ = &at->second;
    }
    out = last_;
    return {};
  }

  void search(Plan& plan) {
    Cublas& cublas = shared().cublas();
    const CublasSettings& settings = shared().settings();
    const std::string of = way_.pipes == Pipes::fma ? " without tensor cores" : "";
    const ChoiceKey key{machine()->facts().name, cublas.version(), choice_text(plan.problem) + of};
    if (auto kept = find_choice(settings.choices, key); kept && cublas.check(*plan.description, *kept).ok()) {
      plan.algorithm = *kept;
      plan.origin = "kept choice";
      return;
    }
    std::vector<LtAlgorithm> algorithms;
    try {
      expect(cublas.heuristics(*plan.description, Alignment{}, way_.pipes, settings.most_algorithms, algorithms));
      std::vector<measure::Run> candidates;
      candidates.reserve(algorithms.size());
      for (const LtAlgorithm& algorithm : algorithms) {
        candidates.push_back(
            [&](const Call& call, runtime::Stream stream) { return matmul(plan, algorithm, call, stream); });
      }
      const measure::Ring ring(machine(), plan.problem, 1, settings.effort.cache);
      const Fastest found = fastest(ring, candidates, settings.effort);
      plan.algorithm = algorithms[found.index];
      plan.origin =
          fmt::format("number {} of {} heuristics, {} timed", found.index + 1, algorithms.size(), found.timed);
      if (settings.keep) (void)keep_choice(settings.choices, key, plan.algorithm, cublas.attributes(plan.algorithm));
    } catch (const Error& error) {
      plan.origin = fmt::format("first heuristic, since the search failed: {}", error.what());
    }
  }

  const LtWay& way_;
  LtScales scales_;
  mutable std::map<std::string, Plan> plans_;
  mutable Plan* last_ = nullptr;  // saves the lookup when the same call is repeated
};

}  // namespace

void add_cublas(const std::shared_ptr<runtime::Machine>& machine, Contenders& out, const CublasSettings& settings) {
  const auto shared = std::make_shared<Shared>(machine, settings);
  out.push_back(std::make_unique<GemmEx>(shared));
  for (const LtWay* way : {&kFirst, &kTuned, &kFma}) out.push_back(std::make_unique<Lt>(shared, *way));
  ThenActivation::Find activate = settings.activate;
  if (!activate)
    activate = [device = machine->facts().device] { return std::move(lab_kernels(device, "lab/activate").at(0)); };
  out.push_back(std::make_unique<ThenActivation>("cublas/lt_then", std::make_unique<Lt>(shared, kTuned), activate));
}

}  // namespace cairn::lab
