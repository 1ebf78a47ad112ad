#include "python/torch_ops/matrices.hpp"

namespace cairn_torch {

View view_of(const Tensor& tensor, const char* argument) {
  const auto sizes = tensor.sizes(), strides = tensor.strides();
  if (sizes.size() == 2) return {1, sizes[0], sizes[1], 0, strides[0], strides[1]};
  if (sizes.size() == 3) return {sizes[0], sizes[1], sizes[2], strides[0], strides[1], strides[2]};
  refuse(std::string(argument) + " has " + std::to_string(sizes.size()) +
         " dimensions; it must have 2, or 3 for a batch of matrices");
}

Operand::Operand(const Tensor& tensor, View view, cairn_order order) : kept(tensor) {
  std::int64_t as_rows = view.leading_dimension(), as_columns = view.transposed().leading_dimension();
  if (as_rows == 0 && as_columns == 0) {
    kept = packed(tensor);
    view = view_of(kept, "");
    as_rows = view.leading_dimension();
  }
  // A single row or column is both: then its elements are those that are next to each other.
  const bool rows = as_rows != 0 && (as_columns == 0 || view.rows <= view.cols);
  op = rows == (order == CAIRN_ROW) ? CAIRN_OP_N : CAIRN_OP_T;
  ld = rows ? as_rows : as_columns;
  batch_stride = view.batch_stride;
  data = kept.const_data_ptr();
}

}  // namespace cairn_torch
