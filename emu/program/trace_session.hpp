// Traces the kernels of a program, compiled by cairn_add_emulated_kernel(… TRACED): counters, races, bad accesses.
//
//   cairn::emu::TraceSession session;               // from here on every access of a kernel is recorded
//   my_function_that_launches();
//   std::fputs(session.report().c_str(), stdout);   // counters by kernel, and what the detectors found
//   return session.clean() ? 0 : 1;
#pragma once

#include <cstdint>
#include <string>

#include "emu/trace.hpp"

namespace cairn::emu {

class TraceSession {
 public:
  // Starts a new trace. The seed determines the random order in which threads run.
  explicit TraceSession(std::uint64_t seed = 1, const TraceSettings& settings = {});

  // The trace so far, complete at the first call of any of these. Looks up places in
  // the source, which takes a moment.
  const Trace& trace();

  // Nothing found, and no launch failed.
  bool clean();

  // Counters by kernel, the worst lines of each, and a line for each finding.
  std::string report();

 private:
  void look();
  bool looked_ = false;
  std::string failure_;
  Trace trace_;
};

}  // namespace cairn::emu
