// What the operators read of a tensor, and the tensors they make, by torch's stable ABI alone.
//
// The shim's functions are called directly where the wrappers of torch::stable would search a table of types or
// go through the dispatcher: these run on every call.
#pragma once

#include <cstdint>
#include <string>

#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include "cairn/cairn.h"

namespace cairn_torch {

using torch::stable::Tensor;

// Throws what Python gets as a RuntimeError, as from torch's own operators.
[[noreturn]] void refuse(const std::string& sentence);
// The same with the sentence of the C call that failed.
[[noreturn]] void refuse_last_error();
inline void check(cairn_status status) {
  if (status != CAIRN_OK) refuse_last_error();
}

struct Device {
  std::int32_t type = 0, index = 0;  // as the shim numbers them
  bool operator==(const Device&) const = default;
  bool is_cuda() const;
  int cairn_device() const { return is_cuda() ? index : CAIRN_CPU; }
};
Device device_of(const Tensor& tensor);
std::string name(Device device);  // "cuda:1"
// `device` is that of a.
void require_one_device(const Tensor& tensor, const char* argument, Device device);

// The type of the tensor's elements; `argument` names it if Cairn has no such type.
cairn_type type_of(const Tensor& tensor, const char* argument);
cairn_type type_of(torch::headeronly::ScalarType type);
const char* name(cairn_type type);             // "bfloat16"
std::string shape_text(const Tensor& tensor);  // "3x4"

// Uninitialized and contiguous.
Tensor make_tensor(torch::headeronly::IntHeaderOnlyArrayRef sizes, cairn_type type, Device device);
Tensor make_bytes(std::int64_t bytes, Device device);
// The tensor itself if it is contiguous.
Tensor packed(const Tensor& tensor);
// Broadcasts `from`, and converts strides; stream-ordered on a GPU.
void copy(Tensor& to, const Tensor& from);

}  // namespace cairn_torch
