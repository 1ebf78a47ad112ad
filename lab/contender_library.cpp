#include "lab/contender_library.hpp"

#include <cstdint>
#include <utility>

#include "cairn/cairn.hpp"
#include "lab/contender_rung.hpp"
#include "src/dispatch/candidate.hpp"

namespace cairn::lab {
namespace {

enum class Way : std::uint8_t {
  run,  // a plan made beforehand
  gemm  // the problem, each time
};

class LibraryContender final : public Contender {
 public:
  LibraryContender(Handle handle, std::shared_ptr<runtime::Machine> machine, Way way)
      : handle_(std::move(handle)), machine_(std::move(machine)), way_(way) {}

  std::string_view id() const override { return way_ == Way::run ? "cairn" : "cairn/gemm"; }
  std::string_view title() const override {
    return way_ == Way::run ? "the library's pick: a plan, run" : "the library's pick: gemm() with the problem";
  }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

  std::string refuses(const Problem& problem) const override {
    Plan ignored;
    const Status s = plan(handle_, problem, ignored);
    return s.ok() ? "" : s.message();
  }

  // The workspace is the laboratory's, which reads in it what the data decided.
  Status prepare(const Problem& problem) override {
    if (auto s = plan(handle_, problem, plan_); !s.ok()) return s;
    if (plan_.workspace_bytes() <= workspace_.bytes()) return {};
    runtime::Buffer larger;
    if (auto s = runtime::Buffer::make(machine_, plan_.workspace_bytes(), larger); !s.ok()) return s;
    if (auto s = handle_.set_workspace(larger.data(), larger.bytes()); !s.ok()) return s;
    workspace_ = std::move(larger);
    return {};
  }

  Status run(const Call& call, runtime::Stream stream) override {
    const Problem& p = call.problem;
    multiplied_ = p.m > 0 && p.n > 0 && p.k > 0 && p.batch > 0 && call.alpha != 0;
    if (auto s = handle_.set_stream(stream); !s.ok()) return s;
    const Operands data{call.A, call.B, call.C, call.bias, call.before, call.scale_a, call.scale_b, call.ends};
    if (way_ == Way::gemm) return gemm(handle_, call.problem, call.alpha, call.beta, data);
    return cairn::run(handle_, plan_, call.alpha, call.beta, data);
  }

  std::string took() override {
    if (!multiplied_) return "";
    for (const Rung* rung : dispatch::ladder_of(machine_->facts().kind))
      if (rung->id == plan_.id()) return lab::took(*rung, *machine_, workspace_);
    return "";
  }

  std::string details() const override { return plan_.id() + (plan_.tile().empty() ? "" : ", tile " + plan_.tile()); }

 private:
  Handle handle_;
  Plan plan_;
  std::shared_ptr<runtime::Machine> machine_;
  runtime::Buffer workspace_;
  bool multiplied_ = false;  // in the last run()
  Way way_;
};

}  // namespace

Status add_library(int device, const std::shared_ptr<runtime::Machine>& machine, Contenders& out) {
  for (const Way way : {Way::run, Way::gemm}) {
    Handle handle;
    if (auto s = Handle::open(device, handle); !s.ok()) return s;
    if (auto s = handle.set_f32(Compute::native); !s.ok()) return s;  // f32 is measured and judged as such
    out.push_back(std::make_unique<LibraryContender>(std::move(handle), machine, way));
  }
  return {};
}

}  // namespace cairn::lab
