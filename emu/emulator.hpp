// The emulator's interface to other rooms. The emulated ladder is in a shared object of its own, because
// the CUDA build, the plain and the traced one define the same names; the shared object exports a
// function that returns this table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cairn/types.hpp"

namespace cairn::emu {

struct Settings {
  std::uint64_t seed = 0;  // of the random order in which threads and blocks run
  int threads = 0;         // OS threads that run blocks; 0 for all there are
  int sms = 8;             // SMs of the emulated device
  double patience = 10;    // seconds of CPU time without progress, before a launch that polls by plain loads is stuck
  // Round in mma and wgmma as Hopper does, which is slower (emu/machine/mma.hpp). The environment variable
  // CAIRN_EMU_TENSOR=faithful turns it on whatever this says.
  bool faithful_tensor = false;
};

// The emulated device, as cudaGetDeviceProperties describes it.
struct DeviceFacts {
  const char* name;
  int sms;
  int arch;  // 90
  std::size_t shared_bytes_per_block;
  std::size_t memory_bytes;
};

struct Entry {
  // The rungs, as kernels/rung.hpp declares them; a pointer to the first of `count` pointers.
  const void* (*ladder)(std::size_t* count);
  void (*configure)(const Settings& settings);
  DeviceFacts (*facts)();
  // Device memory, aligned to 256 bytes. Freeing what was not allocated is an error.
  Status (*allocate)(std::size_t bytes, void** out);
  Status (*free)(void* pointer);
  // Copies check that the device range is within one live allocation.
  Status (*copy_in)(void* device, const void* host, std::size_t bytes);
  Status (*copy_out)(void* host, const void* device, std::size_t bytes);
  Status (*fill)(void* device, unsigned char value, std::size_t bytes);
  // The first failure since the last call, such as a deadlock or a bad launch; ok if there was none.
  Status (*take_error)();
};

}  // namespace cairn::emu

// The plain build: fast, functional.
extern "C" const cairn::emu::Entry* cairn_emu_plain(void);
