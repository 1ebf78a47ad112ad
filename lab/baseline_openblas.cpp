#include "lab/baseline_openblas.hpp"

#ifdef CAIRN_HAVE_OPENBLAS
#include <algorithm>
#include <limits>

#include <cblas.h>
#endif

namespace cairn::lab {
#ifdef CAIRN_HAVE_OPENBLAS
namespace {

CBLAS_TRANSPOSE trans(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }

class OpenblasDirect final : public Contender {
 public:
  explicit OpenblasDirect(std::shared_ptr<runtime::Machine> machine) : machine_(std::move(machine)) {}

  std::string_view id() const override { return kOpenblasDirect; }
  std::string_view title() const override { return "cblas_sgemm and cblas_dgemm, called directly"; }
  bool is_baseline() const override { return true; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

  std::string refuses(const Problem& p) const override {
    if (p.in != p.out || (p.in != Type::f32 && p.in != Type::f64))
      return "OpenBLAS takes only f32 and f64, with C of the same type";
    if (p.compute != Compute::native) return "OpenBLAS has only the native compute mode";
    if (p.batch != 1) return "one product a call";
    if (p.is_grouped()) return "OpenBLAS takes no groups";
    if (p.has_epilogue()) return "OpenBLAS has no epilogue";
    const std::int64_t largest = std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc});
    if (largest > std::numeric_limits<blasint>::max()) return "a size does not fit OpenBLAS's integers";
    return "";
  }

  Status prepare(const Problem&) override { return {}; }

  Status run(const Call& call, runtime::Stream) override {
    const Problem& p = call.problem;
    const auto order = p.order == Order::row ? CblasRowMajor : CblasColMajor;
    const auto m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n), k = static_cast<blasint>(p.k);
    const auto lda = static_cast<blasint>(p.lda), ldb = static_cast<blasint>(p.ldb);
    const auto ldc = static_cast<blasint>(p.ldc);
    if (p.in == Type::f64) {
      cblas_dgemm(order, trans(p.op_a), trans(p.op_b), m, n, k, call.alpha, static_cast<const double*>(call.A), lda,
                  static_cast<const double*>(call.B), ldb, call.beta, static_cast<double*>(call.C), ldc);
    } else {
      cblas_sgemm(order, trans(p.op_a), trans(p.op_b), m, n, k, static_cast<float>(call.alpha),
                  static_cast<const float*>(call.A), lda, static_cast<const float*>(call.B), ldb,
                  static_cast<float>(call.beta), static_cast<float*>(call.C), ldc);
    }
    return {};
  }

 private:
  std::shared_ptr<runtime::Machine> machine_;
};

}  // namespace

bool built_with_openblas() { return true; }

std::unique_ptr<Contender> openblas_direct(std::shared_ptr<runtime::Machine> machine) {
  if (machine->facts().kind != runtime::Kind::cpu) return nullptr;
  return std::make_unique<OpenblasDirect>(std::move(machine));
}
#else
bool built_with_openblas() { return false; }
std::unique_ptr<Contender> openblas_direct(std::shared_ptr<runtime::Machine>) { return nullptr; }
#endif

}  // namespace cairn::lab
