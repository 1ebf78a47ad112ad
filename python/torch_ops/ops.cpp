// The operators torch.ops.cairn.*, registered when this library is loaded. Built against torch's stable ABI: one
// library for every Python and for torch from 2.10 on.
#include <tuple>

#include <torch/csrc/stable/library.h>

#include "python/torch_ops/gemm.hpp"

namespace cairn_torch {
namespace {

using MaybeTensor = std::optional<Tensor>;
using MaybeType = std::optional<torch::headeronly::ScalarType>;

const Tensor* pointer(const MaybeTensor& tensor) { return tensor ? &*tensor : nullptr; }

void require_dims(const Tensor& tensor, const char* argument, std::int64_t dims) {
  if (tensor.dim() != dims) {
    refuse(std::string(argument) + " has " + std::to_string(tensor.dim()) + " dimensions; it must have " +
           std::to_string(dims));
  }
}

Product product_of(const Tensor& a, const Tensor& b, std::int64_t dims) {
  require_dims(a, "a", dims);
  require_dims(b, "b", dims);
  return {.a = a, .b = b};
}

Tensor multiplied(const Product& product, MaybeType type = std::nullopt) {
  Tensor out = make_result(product, type);
  multiply(product, out);
  return out;
}

Tensor multiplied(const Product& product, Tensor out) {
  multiply(product, out);
  return out;
}

Tensor mm(Tensor a, Tensor b) { return multiplied(product_of(a, b, 2)); }
Tensor mm_out(Tensor a, Tensor b, Tensor out) { return multiplied(product_of(a, b, 2), out); }

Tensor bmm(Tensor a, Tensor b) { return multiplied(product_of(a, b, 3)); }
Tensor bmm_out(Tensor a, Tensor b, Tensor out) { return multiplied(product_of(a, b, 3), out); }

Product with_input(const Tensor& input, const Tensor& a, const Tensor& b, double beta, double alpha) {
  Product product = product_of(a, b, 2);
  return {.a = product.a, .b = product.b, .input = &input, .alpha = alpha, .beta = beta};
}
Tensor addmm(Tensor input, Tensor a, Tensor b, double beta, double alpha) {
  return multiplied(with_input(input, a, b, beta, alpha));
}
Tensor addmm_out(Tensor input, Tensor a, Tensor b, double beta, double alpha, Tensor out) {
  return multiplied(with_input(input, a, b, beta, alpha), out);
}

Tensor gemm(Tensor a, Tensor b, MaybeTensor input, MaybeTensor bias, MaybeTensor scale_a, MaybeTensor scale_b,
            double alpha, double beta, std::int64_t activation, std::int64_t compute, MaybeType out_dtype) {
  return multiplied(
      {a, b, pointer(input), pointer(bias), pointer(scale_a), pointer(scale_b), alpha, beta, activation, compute},
      out_dtype);
}
Tensor gemm_out(Tensor a, Tensor b, MaybeTensor input, MaybeTensor bias, MaybeTensor scale_a, MaybeTensor scale_b,
                double alpha, double beta, std::int64_t activation, std::int64_t compute, Tensor out) {
  return multiplied(
      {a, b, pointer(input), pointer(bias), pointer(scale_a), pointer(scale_b), alpha, beta, activation, compute},
      out);
}
std::tuple<Tensor, Tensor> gemm_before(Tensor a, Tensor b, MaybeTensor input, MaybeTensor bias, double alpha,
                                       double beta, std::int64_t activation, std::int64_t compute) {
  const Product product{a, b, pointer(input), pointer(bias), nullptr, nullptr, alpha, beta, activation, compute};
  Tensor out = make_result(product), before = make_result(product);
  multiply(product, out, &before);
  return {out, before};
}

void implement(torch::stable::detail::StableLibrary& m) {
  m.impl("mm", TORCH_BOX(&mm));
  m.impl("mm.out", TORCH_BOX(&mm_out));
  m.impl("bmm", TORCH_BOX(&bmm));
  m.impl("bmm.out", TORCH_BOX(&bmm_out));
  m.impl("addmm", TORCH_BOX(&addmm));
  m.impl("addmm.out", TORCH_BOX(&addmm_out));
  m.impl("gemm", TORCH_BOX(&gemm));
  m.impl("gemm.out", TORCH_BOX(&gemm_out));
  m.impl("gemm_before", TORCH_BOX(&gemm_before));
}

}  // namespace

// The same as in python/cairn/torch/_schemas.py, which defines them where this library is missing.
STABLE_TORCH_LIBRARY(cairn, m) {
  m.def("mm(Tensor a, Tensor b) -> Tensor");
  m.def("mm.out(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)");
  m.def("bmm(Tensor a, Tensor b) -> Tensor");
  m.def("bmm.out(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)");
  m.def("addmm(Tensor input, Tensor a, Tensor b, *, float beta=1, float alpha=1) -> Tensor");
  m.def("addmm.out(Tensor input, Tensor a, Tensor b, *, float beta=1, float alpha=1, Tensor(a!) out) -> Tensor(a!)");
  m.def(
      "gemm(Tensor a, Tensor b, Tensor? input=None, Tensor? bias=None, Tensor? scale_a=None, "
      "Tensor? scale_b=None, *, float alpha=1, float beta=1, int activation=0, int compute=0, "
      "ScalarType? out_dtype=None) -> Tensor");
  m.def(
      "gemm.out(Tensor a, Tensor b, Tensor? input=None, Tensor? bias=None, Tensor? scale_a=None, "
      "Tensor? scale_b=None, *, float alpha=1, float beta=1, int activation=0, int compute=0, "
      "Tensor(a!) out) -> Tensor(a!)");
  m.def(
      "gemm_before(Tensor a, Tensor b, Tensor? input=None, Tensor? bias=None, *, float alpha=1, "
      "float beta=1, int activation=0, int compute=0) -> (Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(cairn, CPU, m) { implement(m); }
STABLE_TORCH_LIBRARY_IMPL(cairn, CUDA, m) { implement(m); }

}  // namespace cairn_torch
