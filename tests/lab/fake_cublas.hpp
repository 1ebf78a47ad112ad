// In cuBLAS's place: the CPU's reference, as four algorithms of different speed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lab/baselines.hpp"
#include "lab/contender_cublas.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {

inline LtAlgorithm algorithm(std::uint64_t first) { return {{first, 2, 3, 4, 5, 6, 7, ~std::uint64_t{0}}, 1 << 20}; }

struct Counts {
  int opened = 0, searched = 0, refused = 0;
  std::vector<Alignment> asked;
  Pipes pipes = Pipes::all;    // asked for last
  std::uint64_t last = 99;     // the algorithm that ran last,
  Call last_call;              // and what it was called with
  int activations = 0;         // kernels looked for
  bool breaks = false;         // every run fails
  bool refuses_check = false;  // a kept choice no longer runs
};

inline constexpr std::uint64_t kAlgorithms = 4, kBest = 2;

class FakeCublas final : public Cublas {
 public:
  FakeCublas(const std::shared_ptr<runtime::Machine>& machine, std::shared_ptr<Counts> counts)
      : counts_(std::move(counts)) {
    expect(contenders(-1, cpu_));
    expect(select({"cpu/reference"}, cpu_));
    EXPECT_EQ(machine->facts().kind, runtime::Kind::cpu);
  }
  std::string version() const override { return "0.0.0"; }
  Status gemm_ex(const Call& call, runtime::Stream stream) override {
    EXPECT_TRUE(call.A != nullptr && call.B != nullptr) << "cuBLAS does not promise to leave them unread";
    if (auto s = cpu_[0]->prepare(call.problem); !s.ok()) return s;
    return cpu_[0]->run(call, stream);
  }
  Status matmul(const LtDescription& description, const LtAlgorithm& which, const Call& call,
                runtime::Stream stream) override {
    EXPECT_EQ(description.problem, call.problem);
    if (counts_->breaks) return {Code::device_error, "broken"};
    counts_->last = which.opaque[0], counts_->last_call = call;
    if (which.opaque[0] != kBest) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return gemm_ex(call, stream);
  }
  Status describe(const Problem& problem, std::shared_ptr<const LtDescription>& out) override {
    out = std::make_shared<LtDescription>(problem);
    return {};
  }
  Status heuristics(const LtDescription& description, Alignment alignment, Pipes pipes, int most,
                    std::vector<LtAlgorithm>& out) override {
    counts_->pipes = pipes;
    if (description.problem.in == Type::e4m3 && description.problem.m % 16 != 0)
      return {Code::unsupported, "m must be a multiple of 16"};
    counts_->asked.push_back(alignment);
    if (most > 1) ++counts_->searched;
    for (std::uint64_t i = 0; i < kAlgorithms && static_cast<int>(i) < most; ++i) out.push_back(algorithm(i));
    return {};
  }
  Status check(const LtDescription&, LtAlgorithm&) override {
    if (counts_->refuses_check) return {Code::unsupported, "not any more"};
    return {};
  }
  LtAttributes attributes(const LtAlgorithm& which) const override {
    LtAttributes a;
    a.id = static_cast<std::int64_t>(which.opaque[0]);
    return a;
  }

 private:
  std::shared_ptr<Counts> counts_;
  Contenders cpu_;
};

// The contenders on the CPU.
class Fake {
 public:
  explicit Fake(const std::filesystem::path& choices, bool keep = true) {
    std::shared_ptr<runtime::Machine> cpu;
    expect(runtime::open(-1, cpu));
    CublasSettings settings;
    settings.open = [counts = counts_](const auto& machine, std::unique_ptr<Cublas>& out) -> Status {
      ++counts->opened;
      out = std::make_unique<FakeCublas>(machine, counts);
      return {};
    };
    settings.choices = choices;
    settings.effort.cache = measure::Cache::hot;
    settings.effort.samples = 3;
    settings.keep = keep;
    settings.activate = [counts = counts_] {
      ++counts->activations;
      Contenders all;
      expect(contenders(-1, all));
      expect(select({"cpu/reference"}, all));
      return std::move(all[0]);
    };
    add_cublas(cpu, all_, settings);
  }
  Contender& operator[](const std::string& id) {
    for (const auto& contender : all_)
      if (contender->id() == "cublas/" + id) return *contender;
    throw Error(kFailed, "no contender " + id);
  }
  Counts& counts() { return *counts_; }
  const Contenders& all() const { return all_; }

 private:
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  Contenders all_;
};

inline const Problem kSmall = Problem::packed(Type::f32, Op::none, Op::none, 16, 16, 16);

}  // namespace cairn::lab
