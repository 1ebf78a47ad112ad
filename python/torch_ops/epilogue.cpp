#include "python/torch_ops/epilogue.hpp"

#include <string>

namespace cairn_torch {
namespace {

constexpr std::int64_t kBlock = 128;
std::int64_t blocks(std::int64_t elements) { return (elements + kBlock - 1) / kBlock; }

// The last two sizes of a tensor, and the batch before them: 1 where it is shared.
struct Sizes {
  std::int64_t batch = 1, rows = 1, cols = 1;
};
Sizes sizes_of(const Tensor& tensor) {
  const auto sizes = tensor.sizes();
  switch (sizes.size()) {
    case 0: return {};
    case 1: return {1, 1, sizes[0]};
    case 2: return {1, sizes[0], sizes[1]};
    case 3: return {sizes[0], sizes[1], sizes[2]};
    default: return {0, 0, 0};  // fits nothing
  }
}

std::string sizes_text(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

// Scales of an operand with so many lines: rows of a, or columns of b, whose scales have been transposed.
cairn_scale scale_kind(const Tensor& scale, const char* argument, std::int64_t lines, std::int64_t k,
                       bool transposed) {
  const Sizes sizes = sizes_of(scale);
  if (sizes.rows * sizes.cols == 1) return CAIRN_SCALE_TENSOR;
  const bool vector = scale.dim() == 1 ? sizes.cols == lines : sizes.rows == lines && sizes.cols == 1;
  if (vector) return CAIRN_SCALE_VECTOR;
  if (scale.dim() > 1 && sizes.cols == blocks(k)) {
    if (sizes.rows == lines) return CAIRN_SCALE_VECTOR_BLOCKS;
    if (sizes.rows == blocks(lines)) return CAIRN_SCALE_BLOCKS;
  }
  const auto shape = [&](std::int64_t rows, std::int64_t cols) {
    return transposed ? sizes_text(cols, rows) : sizes_text(rows, cols);
  };
  refuse(std::string(argument) + " has " + std::to_string(sizes.batch * sizes.rows * sizes.cols) +
         " elements in a shape that is none of 1, " + shape(lines, 1) + ", " + shape(lines, blocks(k)) + " and " +
         shape(blocks(lines), blocks(k)));
}

bool blockwise(std::int32_t kind) { return kind == CAIRN_SCALE_VECTOR_BLOCKS || kind == CAIRN_SCALE_BLOCKS; }

// Where k is at most 128, scales for rows and for blocks have one shape, and the other operand decides.
void match_blocks(std::int32_t& kind, std::int32_t other, std::int64_t lines, std::int64_t k) {
  if (!blockwise(other) || blocks(k) > 1) return;
  if (kind == CAIRN_SCALE_VECTOR) kind = CAIRN_SCALE_VECTOR_BLOCKS;
  if (kind == CAIRN_SCALE_TENSOR && blocks(lines) == 1) kind = CAIRN_SCALE_BLOCKS;
}

std::int64_t batch_stride(const Tensor& tensor, std::int64_t batch, const char* argument) {
  const Sizes sizes = sizes_of(tensor);
  if (sizes.batch != 1 && sizes.batch != batch) {
    refuse(std::string(argument) + " is for " + std::to_string(sizes.batch) + " products; there are " +
           std::to_string(batch));
  }
  return sizes.batch == 1 ? 0 : sizes.rows * sizes.cols;
}

void require_scale_type(const Tensor& scale, const char* argument, std::int32_t in) {
  const cairn_type type = type_of(scale, argument), wanted = in == CAIRN_F64 ? CAIRN_F64 : CAIRN_F32;
  if (type != wanted) refuse(std::string(argument) + " is " + name(type) + "; it must be " + name(wanted));
}

}  // namespace

void set_bias(const Tensor& bias, cairn_problem& problem, cairn_operands& operands, Epilogue& kept) {
  const Sizes sizes = sizes_of(bias);
  if (sizes.rows == 1 && sizes.cols == problem.n && bias.dim() > 0) {
    problem.bias = CAIRN_BIAS_COLUMNS;
  } else if (sizes.rows == problem.m && sizes.cols == 1 && bias.dim() > 1) {
    problem.bias = CAIRN_BIAS_ROWS;
  } else {
    refuse("bias is " + shape_text(bias) + "; it must have " + std::to_string(problem.n) + " elements, or be " +
           sizes_text(1, problem.n) + " or " + sizes_text(problem.m, 1));
  }
  problem.bias_type = type_of(bias, "bias");
  problem.stride_bias = batch_stride(bias, problem.batch, "bias");
  kept.bias = packed(bias);
  operands.bias = kept.bias->const_data_ptr();
}

void set_scales(const Product& product, cairn_problem& problem, cairn_operands& operands, Epilogue& kept) {
  if (product.scale_a != nullptr) {
    require_one_device(*product.scale_a, "scale_a", device_of(product.a));
    require_scale_type(*product.scale_a, "scale_a", problem.in);
    problem.scale_a = scale_kind(*product.scale_a, "scale_a", problem.m, problem.k, false);
    kept.scale_a = packed(*product.scale_a);
    problem.stride_scale_a = batch_stride(*kept.scale_a, problem.batch, "scale_a");
    operands.scale_a = kept.scale_a->const_data_ptr();
  }
  if (product.scale_b != nullptr) {
    require_one_device(*product.scale_b, "scale_b", device_of(product.a));
    require_scale_type(*product.scale_b, "scale_b", problem.in);
    // cairn.h has the scales of a column of b next to each other, along k.
    const Tensor lines =
        product.scale_b->dim() > 1 ? torch::stable::transpose(*product.scale_b, -2, -1) : *product.scale_b;
    problem.scale_b = scale_kind(lines, "scale_b", problem.n, problem.k, true);
    kept.scale_b = packed(lines);
    problem.stride_scale_b = batch_stride(*kept.scale_b, problem.batch, "scale_b");
    operands.scale_b = kept.scale_b->const_data_ptr();
  }
  match_blocks(problem.scale_a, problem.scale_b, problem.m, problem.k);
  match_blocks(problem.scale_b, problem.scale_a, problem.n, problem.k);
}

}  // namespace cairn_torch
