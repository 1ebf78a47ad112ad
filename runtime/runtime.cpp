#include "runtime/runtime.hpp"

#include <string>
#include <utility>

#include "runtime/machines.hpp"

namespace cairn::runtime {

std::vector<Facts> devices() {
  std::vector<Facts> all = {cpu_facts()};
#ifdef CAIRN_HAVE_EMULATOR
  all.push_back(emu_facts());
#endif
#ifdef CAIRN_HAVE_CUDA
  for (auto& gpu : cuda_facts()) all.push_back(std::move(gpu));
#endif
  return all;
}

Status open(int device, std::shared_ptr<Machine>& out) {
  if (device == -1) return open_cpu(out);
  if (device == -2) {
#ifdef CAIRN_HAVE_EMULATOR
    return open_emu(out);
#else
    return {Code::unsupported, "device -2 is the emulated GPU; this build of Cairn has none (the CPU is device -1)"};
#endif
  }
  if (device < -2) {
    return {Code::invalid_argument,
            "device is " + std::to_string(device) +
                "; it must be -1 for the CPU, -2 for the emulated GPU, or the number of a GPU"};
  }
#ifdef CAIRN_HAVE_CUDA
  return open_cuda(device, out);
#else
  return {Code::unsupported,
          "device " + std::to_string(device) + " is a GPU; this build of Cairn has no CUDA (the CPU is device -1)"};
#endif
}

Status Buffer::make(std::shared_ptr<Machine> machine, std::size_t bytes, Buffer& out) {
  Buffer made;
  if (auto s = machine->allocate(bytes, made.data_); !s.ok()) return s;
  made.machine_ = std::move(machine);
  made.bytes_ = bytes;
  out.swap(made);
  return {};
}

void Buffer::swap(Buffer& other) noexcept {
  std::swap(machine_, other.machine_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

void Buffer::reset() noexcept {
  if (data_ != nullptr) machine_->free(data_);
  data_ = nullptr;
}

}  // namespace cairn::runtime
