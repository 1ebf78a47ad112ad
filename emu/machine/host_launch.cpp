// Launches, checked as the driver checks them.
#include <mutex>
#include <string>
#include <unordered_map>

#include "emu/machine/fork.hpp"
#include "emu/machine/host_errors.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/machine/launch.hpp"
#include "emu/report/report.hpp"
#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu {

namespace {

std::mutex mutex;
std::unordered_map<const void*, std::size_t> allowed_dynamic;  // what cudaFuncSetAttribute gave each kernel

std::size_t most_dynamic(const void* kernel) {
  const std::lock_guard lock(mutex);
  const auto found = allowed_dynamic.find(kernel);
  if (found != allowed_dynamic.end()) return found->second;
  const std::size_t fixed = kernel_facts(kernel).shared_bytes;
  return fixed > kSharedWithoutAsking ? 0 : kSharedWithoutAsking - fixed;
}

std::string text(dim3 v) { return std::to_string(v.x) + " x " + std::to_string(v.y) + " x " + std::to_string(v.z); }

// Why the driver would refuse; empty if it would not.
std::string refusal(const Launch& wanted, cudaError_t& error) {
  error = cudaErrorInvalidConfiguration;
  const dim3 b = wanted.block, g = wanted.grid;
  const std::uint64_t threads = std::uint64_t{b.x} * b.y * b.z;
  if (threads == 0 || threads > kMostThreads || b.z > 64) {
    return "a block of " + text(b) + " threads; a block has 1 to 1024, and at most 64 along z";
  }
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) {
    return "a grid of " + text(g) + " blocks; a grid has at least one, at most 2147483647 x 65535 x 65535";
  }
  const dim3 c = wanted.cluster;
  if (c.x == 0 || c.y == 0 || c.z == 0 || std::uint64_t{c.x} * c.y * c.z > kMostCluster) {
    return "a cluster of " + text(c) + " blocks; a cluster has 1 to " + std::to_string(kMostCluster);
  }
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    return "a grid of " + text(g) + " blocks is no multiple of a cluster of " + text(c);
  }
  error = cudaErrorInvalidValue;
  if (kernel_facts(wanted.kernel).shared_bytes > kSharedWithoutAsking) {
    return std::to_string(kernel_facts(wanted.kernel).shared_bytes) +
           " bytes of static shared memory; nvcc takes at most 49152";
  }
  if (wanted.dynamic_shared > most_dynamic(wanted.kernel)) {
    return std::to_string(wanted.dynamic_shared) + " bytes of dynamic shared memory; this kernel may have " +
           std::to_string(most_dynamic(wanted.kernel)) + " (cudaFuncAttributeMaxDynamicSharedMemorySize allows more)";
  }
  const std::uint64_t most = wanted.cooperative ? co_resident_blocks(wanted) : wanted.blocks();
  if (wanted.blocks() > most) {
    error = cudaErrorCooperativeLaunchTooLarge;
    return "a cooperative launch of " + std::to_string(wanted.blocks()) + " blocks; the device holds " +
           std::to_string(most) + " of them at once";
  }
  error = cudaSuccess;
  return {};
}

}  // namespace

void (*before_launch)() = nullptr;
Status (*run_launch)(const Launch& launch) = &run_grid;

cudaError_t launch(const Launch& wanted) {
  if (inside_kernel()) return cudaErrorNotSupported;
  if (before_launch != nullptr) before_launch();
  const InUse in_use;
  if (InUse::refused()) return note(cudaErrorNotPermitted, InUse::refusal());
  if (wanted.kernel == nullptr) return note(cudaErrorInvalidDeviceFunction);
  cudaError_t error = cudaSuccess;
  const std::string why = refusal(wanted, error);
  if (!why.empty()) {
    return note(error, {Code::invalid_argument, "kernel " + kernel_facts(wanted.kernel).name + ": " + why});
  }
  const Status status = run_launch(wanted);
  if (status.ok()) return cudaSuccess;
  return note(error_of(status.message()), status);
}

namespace {
// By the kernel's address. Kernels become known before main().
std::unordered_map<const void*, cudaError_t (*)(const UntypedLaunch&)>& known_kernels() {
  static std::unordered_map<const void*, cudaError_t (*)(const UntypedLaunch&)> known;
  return known;
}
}  // namespace

void know_kernel(const void* kernel, cudaError_t (*launch)(const UntypedLaunch&)) {
  known_kernels()[kernel] = launch;
}

cudaError_t launch_untyped(const UntypedLaunch& wanted) {
  const auto found = known_kernels().find(wanted.kernel);
  if (found != known_kernels().end()) return found->second(wanted);
  return note(
      cudaErrorNotSupported,
      {Code::unsupported, std::string(wanted.cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel") +
                              " of a void*: pass the kernel itself, by whose type the emulator knows its "
                              "parameters"});
}

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // a hint
  const InUse in_use;
  if (InUse::refused()) return note(cudaErrorNotPermitted, InUse::refusal());
  const std::size_t fixed = kernel_facts(kernel).shared_bytes;
  if (value < 0 || static_cast<std::size_t>(value) + fixed > kMostShared) return note(cudaErrorInvalidValue);
  const std::lock_guard lock(mutex);
  allowed_dynamic[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t get_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  *attributes = {};
  const InUse in_use;
  if (InUse::refused()) return note(cudaErrorNotPermitted, InUse::refusal());
  attributes->sharedSizeBytes = kernel_facts(kernel).shared_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(kMostThreads);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(most_dynamic(kernel));
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t dynamic_shared) {
  if (threads <= 0) return note(cudaErrorInvalidValue);
  const InUse in_use;
  if (InUse::refused()) return note(cudaErrorNotPermitted, InUse::refusal());
  const std::size_t shared = kernel_facts(kernel).shared_bytes + dynamic_shared;
  *blocks = static_cast<int>(blocks_per_sm(static_cast<unsigned>(threads), shared));
  return cudaSuccess;
}

}  // namespace cairn::emu
