// How the command ends: the exit codes, and the exception that carries one with its single line of explanation.
#pragma once

#include <stdexcept>
#include <string>

#include "cairn/types.hpp"

namespace cairn::lab {

enum Exit : int {
  kGood = 0,
  kFailed = 1,        // a check failed, or the work could not be finished
  kUsage = 2,         // the command was called wrongly
  kLacking = 77,      // needs what this machine lacks; CTest reads it as "skipped"
  kInterrupted = 130  // Ctrl-C, as shells count it; what was done is printed first
};

// One line that says what is wrong and what would be right. main() prints it after "cairn: ".
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

// Throws what a Status says, unless it is ok.
inline void expect(const Status& status) {
  if (status.ok()) return;
  const bool asked_wrongly = status.code() == Code::invalid_argument;
  const bool lacking = status.code() == Code::unsupported || status.code() == Code::out_of_memory;
  throw Error(asked_wrongly ? kUsage : lacking ? kLacking : kFailed, status.message());
}

}  // namespace cairn::lab
