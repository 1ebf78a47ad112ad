// The emulated GPU as a machine. It works synchronously, as the CPU does; memory is allocated by the emulator, so
// that it can tell device memory from other memory.
#include "runtime/emu.hpp"

#include <memory>
#include <string>

#include "emu/emulator.hpp"
#include "runtime/machines.hpp"
#include "runtime/synchronous.hpp"

namespace cairn::runtime {
namespace {

class Emulated final : public SynchronousMachine {
 public:
  explicit Emulated(const emu::Entry& entry) : entry_(entry) {}
  const Facts& facts() const override { return facts_; }

  Status allocate(std::size_t bytes, void*& out) override {
    out = nullptr;
    return bytes == 0 ? Status{} : entry_.allocate(bytes, &out);
  }
  // An error of free() goes into the emulator's report, which the next synchronize() returns.
  void free(void* pointer) override { (void)entry_.free(pointer); }

  Status copy_in(void* device, const void* host, std::size_t bytes, Stream) override {
    return bytes == 0 ? Status{} : entry_.copy_in(device, host, bytes);
  }
  Status copy_out(void* host, const void* device, std::size_t bytes, Stream) override {
    return bytes == 0 ? Status{} : entry_.copy_out(host, device, bytes);
  }
  Status fill(void* device, unsigned char value, std::size_t bytes, Stream) override {
    return bytes == 0 ? Status{} : entry_.fill(device, value, bytes);
  }

  // Reports the errors of the kernels that ran before.
  Status synchronize(Stream) override { return entry_.take_error(); }

 private:
  const emu::Entry& entry_;
  Facts facts_ = emu_facts();
};

}  // namespace

Facts emu_facts() {
  const emu::DeviceFacts d = cairn_emu_plain()->facts();
  Facts f;
  f.kind = Kind::emu;
  f.device = -2;
  f.name = d.name;
  f.units = d.sms;
  f.arch = d.arch;
  f.memory_bytes = static_cast<std::int64_t>(d.memory_bytes);
  f.shared_bytes = static_cast<int>(d.shared_bytes_per_block);
  f.software = "the kernels' own sources, compiled for the CPU";
  return f;
}

std::shared_ptr<Machine> make_emulated(const emu::Entry& entry) { return std::make_shared<Emulated>(entry); }

Status open_emu(std::shared_ptr<Machine>& out) {
  out = make_emulated(*cairn_emu_plain());
  return {};
}

}  // namespace cairn::runtime
