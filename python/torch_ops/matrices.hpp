// From the strides of a tensor to an op and a leading dimension.
#pragma once

#include <cstdint>

#include "python/torch_ops/tensors.hpp"

namespace cairn_torch {

// A matrix, or a batch of them: the last two dimensions of a tensor and the one before. Strides count elements.
struct View {
  std::int64_t batch = 1, rows = 0, cols = 0;
  std::int64_t batch_stride = 0, row_stride = 0, col_stride = 0;

  View transposed() const { return {batch, cols, rows, batch_stride, col_stride, row_stride}; }
  // The leading dimension if rows are contiguous and do not overlap; else 0. The stride of a dimension with fewer
  // than two elements has no meaning.
  std::int64_t leading_dimension() const {
    const std::int64_t least = cols > 1 ? cols : 1;
    if (rows == 0 || cols == 0) return least;
    if (cols > 1 && col_stride != 1) return 0;
    if (rows == 1) return least;
    return row_stride >= least ? row_stride : 0;
  }
};

// `argument` has 2 or 3 dimensions, or is refused by name.
View view_of(const Tensor& tensor, const char* argument);

// A or B as cairn_problem takes it: as it is, or a contiguous copy where the strides have no leading dimension
// (gaps between the elements of a row, an expanded dimension).
struct Operand {
  const void* data = nullptr;
  std::int32_t op = CAIRN_OP_N;
  std::int64_t ld = 1, batch_stride = 0;
  Tensor kept;  // owns the data until the call has been issued

  Operand(const Tensor& tensor, View view, cairn_order order);
};

}  // namespace cairn_torch
