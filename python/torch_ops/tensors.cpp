#include "python/torch_ops/tensors.hpp"

#include <array>
#include <stdexcept>

namespace cairn_torch {
namespace {

// The shim numbers types and devices at run time, so that its numbers are no part of the ABI.
struct Numbers {
  std::array<std::int32_t, 5> types = {aoti_torch_dtype_float64(), aoti_torch_dtype_float32(),
                                       aoti_torch_dtype_float16(), aoti_torch_dtype_bfloat16(),
                                       aoti_torch_dtype_float8_e4m3fn()};  // as in cairn_type
  std::int32_t bytes = aoti_torch_dtype_uint8();
  std::int32_t cuda = aoti_torch_device_type_cuda();
};

const Numbers& numbers() {
  static const Numbers all;
  return all;
}

Tensor make(torch::headeronly::IntHeaderOnlyArrayRef sizes, std::int32_t dtype, Device device) {
  std::array<std::int64_t, 3> strides{};
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i] > 0 ? sizes[i] : 1) strides[i] = stride;
  AtenTensorHandle made = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                                  strides.data(), dtype, device.type, device.index, &made));
  return Tensor(made);
}

}  // namespace

void refuse(const std::string& sentence) { throw std::runtime_error("cairn: " + sentence); }
void refuse_last_error() { refuse(cairn_last_error()); }

bool Device::is_cuda() const { return type == numbers().cuda; }

Device device_of(const Tensor& tensor) {
  Device device;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(tensor.get(), &device.type));
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_index(tensor.get(), &device.index));
  return device;
}

std::string name(Device device) { return device.is_cuda() ? "cuda:" + std::to_string(device.index) : "the CPU"; }

void require_one_device(const Tensor& tensor, const char* argument, Device device) {
  if (const Device its = device_of(tensor); its != device) {
    refuse(std::string(argument) + " is on " + name(its) + " and a on " + name(device) +
           "; they must be on one device");
  }
}

cairn_type type_of(const Tensor& tensor, const char* argument) {
  std::int32_t dtype = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(tensor.get(), &dtype));
  const auto& types = numbers().types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] == dtype) return static_cast<cairn_type>(i);
  }
  refuse(std::string(argument) + " is " + torch::headeronly::toString(tensor.scalar_type()) +
         "; it must be float64, float32, float16, bfloat16 or float8_e4m3fn");
}

cairn_type type_of(torch::headeronly::ScalarType type) {
  using torch::headeronly::ScalarType;
  switch (type) {
    case ScalarType::Double: return CAIRN_F64;
    case ScalarType::Float: return CAIRN_F32;
    case ScalarType::Half: return CAIRN_F16;
    case ScalarType::BFloat16: return CAIRN_BF16;
    case ScalarType::Float8_e4m3fn: return CAIRN_E4M3;
    default:
      refuse(std::string("out_dtype is ") + torch::headeronly::toString(type) +
             "; it must be float64, float32, float16, bfloat16 or float8_e4m3fn");
  }
}

const char* name(cairn_type type) {
  constexpr std::array kNames = {"float64", "float32", "float16", "bfloat16", "float8_e4m3fn"};
  return kNames[type];
}

std::string shape_text(const Tensor& tensor) {
  if (tensor.dim() == 0) return "a scalar";
  if (tensor.dim() == 1) return "a vector of " + std::to_string(tensor.size(0));
  std::string text;
  for (const std::int64_t size : tensor.sizes()) {
    if (!text.empty()) text += 'x';
    text += std::to_string(size);
  }
  return text;
}

Tensor make_tensor(torch::headeronly::IntHeaderOnlyArrayRef sizes, cairn_type type, Device device) {
  return make(sizes, numbers().types[type], device);
}

Tensor make_bytes(std::int64_t bytes, Device device) { return make({&bytes, 1}, numbers().bytes, device); }

Tensor packed(const Tensor& tensor) { return tensor.is_contiguous() ? tensor : torch::stable::contiguous(tensor); }

void copy(Tensor& to, const Tensor& from) {
  TORCH_ERROR_CODE_CHECK(aoti_torch_copy_(to.get(), from.get(), /*non_blocking=*/1));
}

}  // namespace cairn_torch
