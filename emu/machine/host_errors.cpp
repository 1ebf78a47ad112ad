#include "emu/machine/host_errors.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "emu/machine/errors.hpp"
#include "emu/shadow/cuda_runtime_api.h"

namespace cairn::emu {

namespace {

thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaError_t reported_error = cudaSuccess;  // what last_report() is about

struct Name {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr Name kNames[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Name& name_of(cudaError_t error) {
  for (const Name& name : kNames)
    if (name.error == error) return name;
  return kNames[std::size(kNames) - 1];
}

}  // namespace

cudaError_t note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t note(cudaError_t error, const Status& why) {
  remember(why);
  last_report() = why.message();
  reported_error = error;
  return note(error);
}

}  // namespace cairn::emu

cudaError_t cudaGetLastError() {
  const cudaError_t error = std::exchange(cairn::emu::last_error, cudaSuccess);
  if (error != cudaSuccess) cairn::emu::forget(cairn::emu::last_report());
  return error;
}
cudaError_t cudaPeekAtLastError() { return cairn::emu::last_error; }
const char* cudaGetErrorName(cudaError_t error) { return cairn::emu::name_of(error).name; }

// For a failed launch the emulator's report, where CUDA has only "unspecified launch failure".
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = cairn::emu::name_of(error).text;
  const std::string& report = cairn::emu::last_report();
  if (error != cairn::emu::reported_error || report.empty()) return text;
  thread_local std::string said;
  said = std::string(text) + ": " + report;
  return said.c_str();
}
