#include "lab/contender_cpu.hpp"

#include <cstddef>
#include <span>

#include "src/cpu/backend.hpp"
#include "src/dispatch/check.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab {
namespace {

// Does what the library does around a backend: checks the call, converts it to row-major, rounds alpha and beta and
// provides scratch memory.
class BackendContender final : public Contender {
 public:
  BackendContender(const cpu::Backend& backend, std::shared_ptr<runtime::Machine> machine)
      : backend_(backend), machine_(std::move(machine)) {}

  std::string_view id() const override { return backend_.id; }
  std::string_view title() const override { return backend_.title; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

  std::string refuses(const Problem& problem) const override {
    if (auto s = dispatch::check(problem); !s.ok()) return s.message();
    return backend_.refuses(dispatch::to_row(problem));
  }

  Status prepare(const Problem& problem) override {
    const std::size_t bytes = backend_.workspace(dispatch::to_row(problem));
    return bytes <= workspace_.bytes() ? Status() : runtime::Buffer::make(machine_, bytes, workspace_);
  }

  Status run(const Call& call, runtime::Stream) override {
    if (auto s = dispatch::check_pointers(call); !s.ok()) return s;
    if (call.problem.m == 0 || call.problem.n == 0 || call.problem.batch == 0) return {};
    return backend_.run(dispatch::to_row(dispatch::with_rounded_scalars(call)),
                        {static_cast<std::byte*>(workspace_.data()), workspace_.bytes()});
  }

 private:
  const cpu::Backend& backend_;
  std::shared_ptr<runtime::Machine> machine_;
  runtime::Buffer workspace_;
};

}  // namespace

void add_cpu_backends(const std::shared_ptr<runtime::Machine>& machine, Contenders& out) {
  const auto backends = cpu::backends();  // the best first; tables climb
  for (auto backend = backends.rbegin(); backend != backends.rend(); ++backend) {
    out.push_back(std::make_unique<BackendContender>(**backend, machine));
  }
}

}  // namespace cairn::lab
