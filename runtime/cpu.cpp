// The CPU as a machine: memory is host memory, and work is synchronous.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include "runtime/machines.hpp"
#include "runtime/synchronous.hpp"

namespace cairn::runtime {
namespace {

constexpr std::size_t kAlignment = 256;

// The value after the colon of the first line of /proc/cpuinfo that starts with `key`; "" if there is none.
std::string from_cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (line.rfind(key, 0) == 0 && colon != std::string::npos && colon + 2 <= line.size())
      return line.substr(colon + 2);
  }
  return "";
}

// x86 kernels print a name; Arm ones print numbers, of which the common server cores are spelled out.
std::string cpu_name() {
  if (auto name = from_cpuinfo("model name"); !name.empty()) return name;
  const std::string part = from_cpuinfo("CPU part");
  if (from_cpuinfo("CPU implementer") == "0x41") {
    if (part == "0xd0c") return "Arm Neoverse-N1";
    if (part == "0xd40") return "Arm Neoverse-V1";
    if (part == "0xd49") return "Arm Neoverse-N2";
    if (part == "0xd4f") return "Arm Neoverse-V2";
  }
  return part.empty() ? "CPU" : "Arm CPU, part " + part;
}

std::int64_t last_level_cache() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    if (const long bytes = sysconf(level); bytes > 0) return bytes;
  }
  return 0;
}

class Cpu final : public SynchronousMachine {
 public:
  const Facts& facts() const override { return facts_; }

  Status allocate(std::size_t bytes, void*& out) override {
    out = nullptr;
    if (bytes == 0) return {};
    if (bytes > static_cast<std::size_t>(-1) - kAlignment) return out_of_memory(bytes);
    out = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    return out == nullptr ? out_of_memory(bytes) : Status{};
  }
  void free(void* pointer) override { std::free(pointer); }

  Status copy_in(void* device, const void* host, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memcpy(device, host, bytes);
    return {};
  }
  Status copy_out(void* host, const void* device, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memcpy(host, device, bytes);
    return {};
  }
  Status fill(void* device, unsigned char value, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memset(device, value, bytes);
    return {};
  }

 private:
  static Status out_of_memory(std::size_t bytes) {
    return {Code::out_of_memory, "cannot allocate " + std::to_string(bytes) + " bytes on the CPU"};
  }

  Facts facts_ = cpu_facts();
};

}  // namespace

Facts cpu_facts() {
  Facts f;
  f.kind = Kind::cpu;
  f.device = -1;
  f.name = cpu_name();
  f.units = static_cast<int>(std::thread::hardware_concurrency());
  f.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  f.cache_bytes = last_level_cache();
  return f;
}

Status open_cpu(std::shared_ptr<Machine>& out) {
  out = std::make_shared<Cpu>();
  return {};
}

}  // namespace cairn::runtime
