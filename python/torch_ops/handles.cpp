#include "python/torch_ops/handles.hpp"

#include <vector>

// In libtorch_cuda, which a torch without CUDA does not have: weak, so that this library loads there too. Declared
// here because the shim's header hides it where the CUDA headers are missing.
extern "C" __attribute__((weak)) AOTITorchError aoti_torch_get_current_cuda_stream(std::int32_t device_index,
                                                                                   void** ret_stream);

namespace cairn_torch {
namespace {

struct Slot {
  cairn_handle handle = nullptr;
  void* stream = nullptr;
};

class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (Slot& slot : slots_) cairn_destroy(slot.handle);
  }

  Slot& slot(int device) {  // the CPU, then the GPUs
    const auto index = static_cast<std::size_t>(device - CAIRN_CPU);
    if (index >= slots_.size()) slots_.resize(index + 1);
    Slot& slot = slots_[index];
    if (slot.handle == nullptr) check(cairn_create(&slot.handle, device));
    return slot;
  }

 private:
  std::vector<Slot> slots_;
};

}  // namespace

cairn_handle handle_for(Device device) {
  thread_local Handles handles;
  Slot& slot = handles.slot(device.cairn_device());
  if (!device.is_cuda()) return slot.handle;
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(device.index, &stream));
  if (stream != slot.stream) {
    check(cairn_set_stream(slot.handle, stream));
    slot.stream = stream;
  }
  return slot.handle;
}

}  // namespace cairn_torch
