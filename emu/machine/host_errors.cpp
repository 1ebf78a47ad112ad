#include "emu/machine/host_errors.hpp"

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
#define CAIRN_NAME(name, value, text) {name, #name, text},
    CAIRN_CUDA_ERRORS(CAIRN_NAME)
#undef CAIRN_NAME
};
constexpr Name kNone = {cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};

const Name& name_of(cudaError_t error) {
  for (const Name& name : kNames)
    if (name.error == error) return name;
  return kNone;
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
