// Part of every traced program: if `cairn run` is watching, it collects a trace and writes it at the end.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <unistd.h>

#include "emu/machine/errors.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/settings.hpp"
#include "emu/program/watch.hpp"
#include "emu/program/wire.hpp"
#include "emu/trace/collector.hpp"

namespace cairn::emu::program {
namespace {

pid_t watched = 0;  // a child of fork() that exits must not write over what its parent will

void answer() {
  if (::getpid() != watched) return;
  ProgramOutput output;
  if (const Status failure = take_failure(); !failure.ok()) output.failure = failure.message();
  take_trace(output.trace);
  std::ofstream out(std::getenv(kAnswerVariable), std::ios::binary);
  write(out, output);
  if (!out.flush()) std::fprintf(stderr, "cairn: cannot write %s\n", std::getenv(kAnswerVariable));
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// The first launch begins a trace, which is written when the program exits.
void watch_from_now() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv(kAnswerVariable) == nullptr) return;
    configure({.seed = std::strtoull(variable(kSeedVariable, "1").c_str(), nullptr, 10)});
    begin_collecting({.detectors = variable(kDetectorsVariable, "1") != "0"});
    watched = ::getpid();
    std::atexit(&answer);
  });
}

const bool watches = (before_launch = &watch_from_now, true);

}  // namespace
}  // namespace cairn::emu::program
