// Part of every traced program: if `cairn run` is watching, it collects a trace and writes it at the end.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "emu/machine/errors.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/settings.hpp"
#include "emu/program/checksums.hpp"
#include "emu/program/kernel_pair.hpp"
#include "emu/program/snapshot.hpp"
#include "emu/program/watch.hpp"
#include "emu/program/wire.hpp"
#include "emu/trace/collector.hpp"

namespace cairn::emu::program {
namespace {

pid_t watched = 0;  // a child of fork() that exits must not write over what its parent will

bool sums = false;                 // a checksum after every launch?
std::unique_ptr<KernelPair> pair;  // null: no kernels are compared
std::mutex looking;        // launches by several host threads come one after another: each looks at all memory
std::uint64_t number = 0;  // of the launch
std::vector<Launched> launches;

Status run_and_look(const Launch& launch) {
  const std::lock_guard lock(looking);
  ++number;
  const Snapshot before = sums ? Snapshot::now() : Snapshot();
  const Status status = pair != nullptr ? pair->run(launch, number) : run_grid(launch);
  if (sums) launches.push_back(launched(launch, before));
  return status;
}

void answer() {
  if (::getpid() != watched) return;
  ProgramOutput output;
  if (const Status failure = take_failure(); !failure.ok()) output.failure = failure.message();
  take_trace(output.trace);
  output.launches = std::move(launches);
  if (pair != nullptr) output.comparison = pair->take();
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
    begin_collecting({.detectors = variable(kDetectorsVariable, "1") != "0",
                      .merged_loads = variable(kMergedVariable, "0") == "1",
                      .shapes_apart = variable(kShapesVariable, "0") == "1"});
    sums = variable(kChecksumVariable, "0") == "1";
    if (const std::string first = variable(kFirstVariable, ""); !first.empty()) {
      const std::string type = variable(kTypeVariable, "");
      pair = std::make_unique<KernelPair>(
          first, variable(kSecondVariable, ""),
          type.empty() ? std::nullopt : std::optional(static_cast<Element>(std::stoi(type))));
    }
    if (sums || pair != nullptr) run_launch = &run_and_look;
    watched = ::getpid();
    std::atexit(&answer);
  });
}

const bool watches = (before_launch = &watch_from_now, true);

}  // namespace
}  // namespace cairn::emu::program
