// The emulator, seen from outside. The emulated ladder lives in a shared object of its own (the CUDA build, the plain
// and the traced one define the same names), and this table is all that comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cairn/types.hpp"

namespace cairn::emu {

struct Settings {
  std::uint64_t seed = 0;  // the order in which fibers and blocks run; any order must give the same result
  int threads = 0;         // OS threads that run blocks; 0 for all there are
  int sms = 8;             // multiprocessors the emulated device says it has
  double patience = 10;    // seconds of an OS thread's own time in which nothing happens but plain loads
  // Sums of tensor cores rounded as Hopper does, which takes longer (emu/machine/mma.hpp). CAIRN_EMU_TENSOR=faithful in
  // the environment sets it for good.
  bool faithful_tensor = false;
};

// The emulated device, as cudaGetDeviceProperties tells it to kernels.
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
  // Device memory, 256-byte aligned. Freeing what was not allocated is an error in the report.
  Status (*allocate)(std::size_t bytes, void** out);
  Status (*free)(void* pointer);
  // Copies check that all of the device side lies within one live allocation.
  Status (*copy_in)(void* device, const void* host, std::size_t bytes);
  Status (*copy_out)(void* host, const void* device, std::size_t bytes);
  Status (*fill)(void* device, unsigned char value, std::size_t bytes);
  // The first failure since the last call (a deadlock, a bad launch), in words; ok if there was none.
  Status (*take_error)();
};

}  // namespace cairn::emu

// The plain build: fast, functional.
extern "C" const cairn::emu::Entry* cairn_emu_plain(void);
