#include "python/torch_ops/gemm.hpp"

#include <string>

#include "python/torch_ops/added.hpp"
#include "python/torch_ops/epilogue.hpp"
#include "python/torch_ops/handles.hpp"

namespace cairn_torch {
namespace {

struct Shape {
  std::int64_t batch, m, n, k;
  bool batched;  // the result has three dimensions
};

std::string shapes_text(const Product& product) {
  return "a is " + shape_text(product.a) + " and b is " + shape_text(product.b);
}

Shape shape_of(const Product& product, const View& a, const View& b) {
  if (a.cols != b.rows) refuse(shapes_text(product) + "; the columns of a must be as many as the rows of b");
  const bool shared = product.a.dim() == 2 || product.b.dim() == 2;
  if (a.batch != b.batch && !shared) refuse(shapes_text(product) + "; their batches must be equal");
  return {product.a.dim() == 3 ? a.batch : b.batch, a.rows, b.cols, a.cols,
          product.a.dim() == 3 || product.b.dim() == 3};
}

cairn_type type_of_inputs(const Product& product) {
  const cairn_type a = type_of(product.a, "a"), b = type_of(product.b, "b");
  if (a != b) refuse(std::string("a is ") + name(a) + " and b is " + name(b) + "; they must have one type");
  return a;
}

bool is_expanded(const Tensor& tensor) {
  const auto sizes = tensor.sizes(), strides = tensor.strides();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1 && strides[i] == 0) return true;
  }
  return false;
}

void require_out(const Tensor& out, const View& c, const Shape& shape, Device device) {
  require_one_device(out, "out", device);
  if (c.batch != shape.batch || c.rows != shape.m || c.cols != shape.n || (out.dim() == 3) != shape.batched) {
    std::string wanted = std::to_string(shape.m) + "x" + std::to_string(shape.n);
    if (shape.batched) wanted = std::to_string(shape.batch) + "x" + wanted;
    refuse("out is " + shape_text(out) + "; the product is " + wanted);
  }
  if (is_expanded(out))
    refuse("out is expanded: several of its elements are one in memory; it must be a tensor of its own");
}

void call(cairn_handle handle, const cairn_problem& problem, double alpha, double beta,
          const cairn_operands& operands) {
  const bool plain = problem.bias == CAIRN_BIAS_NONE && problem.activation == CAIRN_ACTIVATION_NONE &&
                     problem.before == CAIRN_BEFORE_NONE && problem.scale_a == CAIRN_SCALE_NONE &&
                     problem.scale_b == CAIRN_SCALE_NONE;
  check(plain ? cairn_gemm(handle, &problem, alpha, operands.A, operands.B, beta, operands.C)
              : cairn_gemm_operands(handle, &problem, alpha, beta, &operands));
}

// The workspace of a call is a tensor, so that torch's allocator and CUDA graphs know of it. It may be freed as soon as
// the call has been issued: memory of one stream is used again in the order of the stream.
class Workspace {
 public:
  Workspace(cairn_handle handle, const cairn_problem& problem, Device device) : handle_(handle) {
    std::size_t bytes = 0;
    check(cairn_workspace_size(handle, &problem, &bytes));
    if (bytes == 0) return;
    constexpr std::size_t kAlignment = 256;  // torch's CPU allocator aligns to 64 bytes
    memory_.emplace(make_bytes(static_cast<std::int64_t>(bytes + kAlignment), device));
    auto* start = static_cast<std::byte*>(memory_->mutable_data_ptr());
    start += (kAlignment - reinterpret_cast<std::uintptr_t>(start) % kAlignment) % kAlignment;
    check(cairn_set_workspace(handle, start, bytes));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (memory_) cairn_set_workspace(handle_, nullptr, 0);
  }

 private:
  cairn_handle handle_;
  std::optional<Tensor> memory_;
};

}  // namespace

Tensor make_result(const Product& product, std::optional<torch::headeronly::ScalarType> type) {
  const Shape shape = shape_of(product, view_of(product.a, "a"), view_of(product.b, "b"));
  const std::int64_t sizes[] = {shape.batch, shape.m, shape.n};
  const cairn_type out = type ? type_of(*type) : type_of(product.a, "a");
  return make_tensor({shape.batched ? sizes : sizes + 1, shape.batched ? 3UL : 2UL}, out, device_of(product.a));
}

void multiply(const Product& product, Tensor& out, Tensor* before) {
  const View a = view_of(product.a, "a"), b = view_of(product.b, "b"), c = view_of(out, "out");
  const Shape shape = shape_of(product, a, b);
  const Device device = device_of(product.a);
  require_one_device(product.b, "b", device);
  require_out(out, c, shape, device);

  cairn_problem problem = CAIRN_PROBLEM_INIT;
  problem.in = type_of_inputs(product), problem.out = type_of(out, "out");
  problem.compute = static_cast<std::int32_t>(product.compute);
  problem.activation = static_cast<std::int32_t>(product.activation);
  problem.m = shape.m, problem.n = shape.n, problem.k = shape.k, problem.batch = shape.batch;

  problem.ldc = c.leading_dimension();
  if (problem.ldc == 0) problem.order = CAIRN_COLUMN, problem.ldc = c.transposed().leading_dimension();
  const Added plus = added(product, problem, out);
  // 0: there are gaps between the elements of rows, and of columns.
  if (problem.ldc == 0 || (plus.copied != nullptr && copy_may_change_operands(product, out))) {
    Tensor dense = make_tensor(out.sizes(), static_cast<cairn_type>(problem.out), device);
    multiply(product, dense, before);
    return copy(out, dense);
  }
  problem.stride_c = c.batch_stride;

  cairn_operands operands = CAIRN_OPERANDS_INIT;
  Epilogue epilogue;
  if (plus.bias != nullptr) {
    require_one_device(*plus.bias, "bias", device);
    set_bias(*plus.bias, problem, operands, epilogue);
  }
  if (product.scale_a != nullptr || product.scale_b != nullptr) set_scales(product, problem, operands, epilogue);
  if (before != nullptr) problem.before = CAIRN_BEFORE_STORED, operands.before = before->mutable_data_ptr();
  if (shape.batch == 0 || shape.m == 0 || shape.n == 0) return;

  const auto order = static_cast<cairn_order>(problem.order);
  const Operand A(product.a, a, order), B(product.b, b, order);
  problem.op_a = A.op, problem.op_b = B.op, problem.lda = A.ld, problem.ldb = B.ld;
  problem.stride_a = A.batch_stride, problem.stride_b = B.batch_stride;
  operands.A = A.data, operands.B = B.data, operands.C = out.mutable_data_ptr();

  const cairn_handle handle = handle_for(device);
  const Workspace workspace(handle, problem, device);  // refuses a problem that breaks a rule, before C is written
  if (plus.copied != nullptr) copy(out, *plus.copied);
  call(handle, problem, product.alpha, plus.beta, operands);
}

}  // namespace cairn_torch
